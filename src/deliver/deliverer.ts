import { channelOf } from '../config/channels.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import type { Delivery } from '../delivery.ts'
import { describeError } from '../errors.ts'
import { monotonicMs } from '../monotonic.ts'
import { DeliveryError, type Notifier } from '../notifiers/define.ts'
import {
  type AttemptDeps,
  type Destination,
  destinationIn,
  failedOutcome,
  findDestination,
  isRetry,
  type Outcome,
  outcomeWithout,
  retryAfterOf,
  retryDelay,
  send,
  sentOutcome,
  shareOf,
} from './attempt.ts'
import {
  type DestinationLimiter,
  type DestinationLine,
  type DestinationQueue,
  makeLine,
  type Slot,
  type Waiting,
} from './destination-queue.ts'
import { isLate, type MessageLife, unknownLife, whyNotNow } from './message-life.ts'
import { summarize } from './summary.ts'

interface DelivererDeps extends AttemptDeps {
  config(): LoadedConfig
  /** Whether a failed delivery is on its card, or on its way there or back into its queue. */
  isComing?(event: string, channel: string): boolean
  /** Absent if nothing is known of earlier messages. */
  life?: MessageLife
  /** Milliseconds of a clock that is never set back. */
  steadyNow(): number
}

/** A queued delivery, and what to call with its outcome. */
interface Order extends Waiting {
  channel: string
  /** It is sent directly and no longer waits for the hub. */
  isDirect?: boolean
  resolve(outcome: Outcome): void
}

/** Sends deliveries. Each destination has its own queue and limiter, so a slow one does not delay the others. */
export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #lines = new Map<string, DestinationLine>()
  #isPaused = false
  #isEnding = false

  constructor(deps: DelivererDeps) {
    this.#deps = deps
  }

  /** Resolves when the delivery has ended, for now or for good. `load` makes it again. Never rejects. */
  async deliver(delivery: Delivery, load: () => Promise<Delivery>): Promise<Outcome> {
    const { id, channel, session, kind, acceptedAt } = delivery
    const { config, now } = this.#deps
    const isDirect = bypassesHub(delivery)
    const destination = findWay(channel, config(), isDirect)
    if ('error' in destination)
      return outcomeWithout(delivery, destination.error, config(), this.#deps)
    if (this.#isEnding) return { type: 'released' }
    return new Promise((resolve) => {
      const rank = { isPermission: kind === 'permission', isLate: isLate(delivery, now()) }
      const order = { id, channel, session, acceptedAt, ...rank, isDirect, delivery, load, resolve }
      this.#lineTo(destination).queue.add(order as Omit<Order, 'queuedAt'>)
    })
  }

  /** How many deliveries are queued. Those being sent do not count. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { queue }) => sum + queue.size, 0)
  }

  /** How many of them their destinations hold up. For this and `isMoving` see DestinationLine. */
  get heldUp(): number {
    return [...this.#lines.values()].reduce((sum, { heldUp }) => sum + heldUp, 0)
  }

  get isMoving(): boolean {
    return [...this.#lines.values()].some((line) => line.isMoving)
  }

  /** Forgets earlier failures, because the configuration has changed or a person asks for it. */
  reset() {
    for (const line of this.#lines.values()) line.reset()
  }

  /**
   * Sends nothing to the destinations of these channels for so long: they have asked this worker or another one to wait. To
   * be called whenever a channel may have become usable, such as when its secret has arrived.
   */
  block(asked: readonly { channel: string; ms: number }[]) {
    for (const { channel, ms } of asked) {
      // A hub asks for no wait: if the channel has one, another worker has bypassed it.
      const destination = findWay(channel, this.#deps.config(), true)
      if (!('error' in destination)) this.#lineTo(destination).limiter.block(ms)
    }
  }

  /** While paused, no new attempt starts. */
  setPaused(isPaused: boolean) {
    if (isPaused === this.#isPaused) return
    this.#isPaused = isPaused
    for (const { queue } of this.#lines.values()) queue.setPaused(isPaused)
  }

  /** Drops all queued deliveries, because a person discards them, and forgets earlier failures. */
  dropAll(reason: string) {
    for (const { queue } of this.#lines.values()) {
      for (const entry of queue.clear() as Order[]) entry.resolve({ type: 'expired', reason })
    }
    this.reset()
  }

  /** Releases all queued deliveries, and those that are still being prepared, because the worker ends. */
  releaseAll() {
    this.#isEnding = true
    for (const { queue } of this.#lines.values()) {
      for (const entry of queue.clear() as Order[]) entry.resolve({ type: 'released' })
    }
  }

  #lineTo({ key, notifier }: Destination): DestinationLine {
    const known = this.#lines.get(key)
    if (known) return known
    const line = makeLine(notifier, {
      steadyNow: this.#deps.steadyNow,
      send: (entries, slot, self) => this.#send(entries as Order[], slot, self),
      divert: (entries) => this.#passOn(entries as Order[]),
    })
    line.queue.setPaused(this.#isPaused)
    this.#lines.set(key, line)
    return line
  }

  async #send(orders: readonly Order[], slot: Slot, line: DestinationLine): Promise<void> {
    const ready = await this.#gather(orders)
    const [first, ...rest] = ready
    if (!first) return line.limiter.cancel(slot)
    const all = [first.delivery, ...rest.map((one) => one.delivery)] as const
    const delivery = rest.length > 0 ? summarize(all) : first.delivery
    const destination = findWay(delivery.channel, this.#deps.config(), first.order.isDirect)
    const outcome = await this.#attempt(delivery, destination, slot, line)
    if (this.#bypass(first.order, outcome, line)) return
    if (rest.length === 0) return first.order.resolve(outcome)
    // A failed summary was one attempt, which counts for the first message. The others are still queued.
    const isFailed = outcome.type === 'deferred' && !outcome.delivery.remaining
    if (isFailed) line.queue.putBack(ready.splice(1).map((one) => one.order))
    for (const one of ready) one.order.resolve(shareOf(outcome, one.delivery, delivery))
  }

  /** Loads the deliveries, and resolves those that are not sent now. */
  async #gather(orders: readonly Order[]): Promise<{ order: Order; delivery: Delivery }[]> {
    const { now, life = unknownLife } = this.#deps
    const all = orders.map(async (order) => {
      const delivery = order.delivery ?? (await order.load().catch(() => undefined))
      const outcome = delivery && (await whyNotNow(delivery, life, now()))
      if (delivery && !outcome) return [{ order, delivery }]
      // If the event cannot be read now, it is released and tried again later.
      order.resolve(outcome ?? { type: 'released' })
      return []
    })
    return (await Promise.all(all)).flat()
  }

  /**
   * Bypasses a hub that has failed for too long: this delivery and those queued behind it go directly.
   * @returns whether it does
   */
  #bypass(order: Order, outcome: Outcome, line: DestinationLine): boolean {
    if (order.isDirect) return false
    line.isBypassed &&= line.limiter.isFailing
    if (outcome.type !== 'deferred') return false
    const { delivery } = outcome
    const { config, now, isComing } = this.#deps
    const waitMs = directInMs({ delivery, limiter: line.limiter, now: now() }, config())
    line.isBypassed = waitMs === 0
    const comesBack = () => isComing?.(delivery.events[0] ?? '', delivery.channel) ?? false
    // The attempt by way of the hub and the direct one count as one.
    const again = { ...delivery, attempts: delivery.attempts - 1 }
    if (line.isBypassed) this.#passOn([{ ...order, delivery: again, load: async () => again }])
    else line.queue.expect(delivery.id, outcome.until - now(), comesBack)
    return line.isBypassed
  }

  #passOn(orders: readonly Order[]) {
    for (const order of orders) {
      const direct = findDirect(order.channel, this.#deps.config())
      // The configuration may have changed since.
      if (!direct) order.resolve({ type: 'released' })
      else this.#lineTo(direct).queue.add({ ...order, isDirect: true } as Order)
    }
  }

  async #attempt(
    delivery: Delivery,
    destination: ReturnType<typeof findWay>,
    slot: Slot,
    { limiter, queue }: DestinationLine,
  ): Promise<Outcome> {
    const { config, now, random, life = unknownLife } = this.#deps
    const loaded = config()
    if ('error' in destination) {
      limiter.cancel(slot)
      return outcomeWithout(delivery, destination.error, loaded, this.#deps)
    }
    const sending = await life.begin(delivery, destination)
    const startedAt = monotonicMs()
    try {
      const sent = await send(destination, sending.delivery, loaded, this.#deps, sending)
      limiter.release(slot)
      const ms = Math.round(monotonicMs() - startedAt)
      await sending.delivered(typeof sent === 'string' ? undefined : sent.handle)
      return sentOutcome(delivery, sent, ms, loaded, this.#deps)
    } catch (error) {
      await sending.failed(error instanceof DeliveryError ? error.handle : undefined)
      if (!isRetry(error)) {
        limiter.release(slot)
        return failedOutcome(delivery, error, loaded, this.#deps)
      }
      const wish = retryAfterOf(error)
      const untilDirect = directInMs({ delivery, limiter, now: now() }, loaded)
      const trippedMs = limiter.trip(slot, (times) =>
        Math.min(retryDelay(times, loaded.config.retry, random(), wish), untilDirect || Infinity),
      )
      const failed = failedOutcome(delivery, error, loaded, this.#deps, trippedMs)
      // To keep their order, deliveries that failed together are retried together, without jitter.
      const isTogether = destination.notifier.keepsOrder && failed.type === 'deferred'
      const outcome = isTogether ? { ...failed, until: Math.ceil(now() + trippedMs) } : failed
      this.#giveUpOld(queue, limiter, loaded, outcome)
      return outcome
    }
  }

  /** Once a destination has failed for the maximum age of an event, gives up the queued deliveries of that age too. */
  #giveUpOld(
    queue: DestinationQueue,
    limiter: DestinationLimiter,
    { config: { retry } }: LoadedConfig,
    outcome: Outcome,
  ) {
    const maxMs = retry.maxAgeHours * 3600_000
    if (limiter.failingMs < maxMs || !('reason' in outcome)) return
    const reason = `gave up after ${retry.maxAgeHours} hours in which nothing got through: ${outcome.reason}`
    for (const { resolve, delivery, load } of queue.takeOlderThan(maxMs) as Order[]) {
      void (async () => {
        const loaded = delivery ?? (await load().catch(() => undefined))
        if (loaded)
          resolve({ type: 'exhausted', attempt: loaded.attempts, reason, delivery: loaded })
        else resolve({ type: 'released' })
      })()
    }
  }
}

/** Where messages for a hub channel go while the hub does not accept them; undefined if they wait for the hub. */
function findDirect(channel: string, { config }: LoadedConfig): Destination | undefined {
  const standIn = channelOf(channel, config)?.standIn
  const found = standIn && !standIn.state && destinationIn({ [channel]: standIn }, channel)
  if (!found) return undefined
  const { key, notifier, options } = found
  // The name alone is already the key of the same channel by way of the hub.
  return { options, key: notifier.pace ? key : `direct ${channel}`, notifier: bypass(notifier) }
}

/** Whether it bypasses its hub from the start: some recipients have it, and the hub would send it to all of them. */
function bypassesHub({ remaining }: Pick<Delivery, 'remaining'>): boolean {
  return remaining !== undefined
}

/**
 * @returns the destination, or why there is none. `isDirect`: prefer the one that bypasses the hub, and wait for it while it
 * lacks something such as a secret
 */
function findWay(channel: string, loaded: LoadedConfig, isDirect = false) {
  const missing = isDirect ? channelOf(channel, loaded.config)?.standIn?.why : undefined
  if (missing) return { error: new DeliveryError('retry', missing) }
  return (isDirect ? findDirect(channel, loaded) : undefined) ?? findDestination(channel, loaded)
}

const WHY = 'directly, since the hub takes nothing'

/** The same notifier, whose answers say that the hub was bypassed. It never replaces or withdraws a message, and nothing is answered there. */
function bypass({
  canReplace: _,
  withdraw: _withdraw,
  answers: _answers,
  ...notifier
}: Notifier): Notifier {
  return {
    ...notifier,
    async send(...all) {
      try {
        const sent = await notifier.send(...all)
        if (typeof sent === 'string') return `${WHY}: ${sent}`
        const { answer, remaining } = sent
        return { answer: `${WHY}: ${answer}`, ...(remaining && { remaining }) }
      } catch (error) {
        // Always a retry: the hub may still accept the message.
        throw new DeliveryError('retry', `${WHY}: ${describeError(error)}`, {
          ...(error instanceof DeliveryError && error.hint && { hint: error.hint }),
          ...{ retryAfterMs: retryAfterOf(error), cause: error },
        })
      }
    },
  }
}

interface Failing {
  delivery: Pick<Delivery, 'channel' | 'firstTriedAt'>
  limiter: Pick<DestinationLimiter, 'failingMs'>
  /** Unix ms. */
  now: number
}

/** How long until the delivery bypasses the hub, in ms: 0 from now on, Infinity if it always waits for the hub. */
function directInMs({ delivery, limiter, now }: Failing, loaded: LoadedConfig): number {
  const { channel, firstTriedAt } = delivery
  const afterMs = (loaded.config.hub?.directAfterMinutes ?? 0) * 60_000
  if (!findDirect(channel, loaded)) return Number.POSITIVE_INFINITY
  // The limiter's state ends with its worker; the delivery's is on the disk.
  const triedMs = firstTriedAt > 0 ? now - firstTriedAt : 0
  return Math.max(0, afterMs - Math.max(limiter.failingMs, triedMs))
}
