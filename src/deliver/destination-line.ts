import type { Notifier } from '../notifiers/define.ts'
import { DestinationLimiter, type Slot } from './destination-limiter.ts'
import { DestinationQueue, type Waiting } from './destination-queue.ts'

/** The queue and the limiter of one destination. */
export interface DestinationLine {
  queue: DestinationQueue
  limiter: DestinationLimiter
  /** Whether messages take another way while the destination fails. */
  isBypassed: boolean
  /** Whether a delivery is being sent, or is queued and not blocked after a failure. */
  readonly isMoving: boolean
  /** How many deliveries are queued if the destination fails, limits their rate, or is far behind; else 0. */
  readonly heldUp: number
  /** Forgets earlier failures. */
  reset(): void
}

interface LineOptions {
  steadyNow(): number
  send(entries: readonly Waiting[], slot: Slot, line: DestinationLine): Promise<void>
  /** Takes over the next entries while the destination is bypassed. */
  divert(entries: readonly Waiting[]): void
}

const DEFAULT_CONCURRENCY = 4
/** More than a worker queues for a destination that keeps up. */
const FAR_BEHIND = 300

export function makeLine(
  notifier: Notifier,
  { steadyNow, send, divert }: LineOptions,
): DestinationLine {
  const { concurrency = DEFAULT_CONCURRENCY, pace, keepsOrder, summarizes } = notifier
  const limiter = new DestinationLimiter({
    concurrency,
    minIntervalMs: pace?.minIntervalMs ?? 0,
    now: steadyNow,
  })
  const line: DestinationLine = {
    limiter,
    isBypassed: false,
    get isMoving() {
      return !limiter.isIdle || (line.queue.size > 0 && !limiter.isTripped)
    },
    get heldUp() {
      const { size } = line.queue
      return limiter.isSlow || size > FAR_BEHIND ? size : 0
    },
    queue: new DestinationQueue({
      limiter,
      keepsOrder: keepsOrder === true,
      summarizes: summarizes === true,
      now: steadyNow,
      send: (entries, slot) => send(entries, slot, line),
      // Not while a probe is due or under way: the destination is still tried, and those that fail together keep order.
      bypass: () => (line.isBypassed && limiter.isTripped && limiter.isIdle ? divert : undefined),
    }),
    reset() {
      line.isBypassed = false
      limiter.reset()
      line.queue.expectNow()
      line.queue.pump()
    },
  }
  return line
}
