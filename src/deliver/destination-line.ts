import type { Notifier } from '../notifiers/define.ts'
import { DestinationLimiter, type Slot } from './destination-limiter.ts'
import { DestinationQueue, type Waiting } from './destination-queue.ts'

/** What waits for one destination, and when it takes something. */
export interface DestinationLine {
  queue: DestinationQueue
  limiter: DestinationLimiter
  /** Whether messages go another way while it takes nothing. */
  isBypassed: boolean
  /** What failed before says nothing any more. */
  reset(): void
}

interface LineOptions {
  steadyNow(): number
  send(entries: readonly Waiting[], slot: Slot, line: DestinationLine): Promise<void>
  /** Takes over what is next where messages go another way. */
  divert(entries: readonly Waiting[]): void
}

const DEFAULT_CONCURRENCY = 4

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
    queue: new DestinationQueue({
      limiter,
      keepsOrder: keepsOrder === true,
      summarizes: summarizes === true,
      now: steadyNow,
      send: (entries, slot) => send(entries, slot, line),
      // Now and then one is tried; and all that failed together keep their order.
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
