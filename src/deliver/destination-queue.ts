import { byAcceptance } from '../acceptance-order.ts'
import type { Delivery } from '../delivery.ts'
import type { Notifier } from '../notifiers/define.ts'

interface LimiterOptions {
  /** How many messages may be in flight at once. */
  concurrency: number
  /** At least this long between two starts. */
  minIntervalMs: number
  /** Milliseconds of a clock that is never set back. */
  now: () => number
}

/** A delivery in flight. To be returned with `release`, `trip` or `cancel`. */
export interface Slot {
  startedAt: number
}

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

/** How many queued deliveries keep their text in memory. The text of the others is made again when they are sent. */
const MAX_LOADED = 500
/** At least this many queued messages, of which the first has waited this long or is late, are combined into one summary. */
const SUMMARY_FROM = 6
const SUMMARY_AFTER_MS = 2000
/** How long after it is due a failed delivery may take to be read back from the disk. */
const RETURN_MS = 5000
/** The same for one that is still on its way, such as on a machine that is very busy. */
const MAX_RETURN_MS = 60_000
/** The longest delay that setTimeout supports. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** A queued delivery, with what is needed to choose the next one. */
export interface Waiting {
  session: string
  isPermission: boolean
  delivery: Delivery | undefined
  /** Unix ms. */
  acceptedAt: number
  /** See message-life.ts. */
  isLate: boolean
  id: string
  /** Prepares the delivery again if its text was not kept. */
  load(): Promise<Delivery>
  queuedAt: number
}

interface QueueOptions {
  limiter: DestinationLimiter
  /** The destination keeps the order of concurrent messages, so a session need not wait for its previous one. */
  keepsOrder: boolean
  /** Whether many queued messages may be combined into one. */
  summarizes: boolean
  now: () => number
  /** Sends one delivery, or several as a summary. Must hand the slot back to the limiter. Never rejects. */
  send(entries: readonly Waiting[], slot: Slot): Promise<void>
  /** @returns what takes over the next entries, if the destination is bypassed now */
  bypass?(): ((entries: readonly Waiting[]) => void) | undefined
}

/** Until when later deliveries wait for one that failed: longer if it is still coming, but not beyond `latest`. */
interface Expected {
  until: number
  latest: number
  isComing(): boolean
}

/**
 * The queue of one destination: permission questions first, everything else in the order of acceptance within its
 * session. Waiting does not count as an attempt, is not recorded and writes nothing.
 */
export class DestinationQueue {
  readonly #options: QueueOptions
  readonly #permissions: Waiting[] = []
  /** The first of each session that has nothing in flight. */
  #ready: Waiting[] = []
  /** By session: entries that wait for an earlier one of the session, queued or in flight. */
  readonly #behind = new Map<string, Waiting[]>()
  readonly #busy = new Set<string>()
  /** Failed deliveries that will be added again, by id. */
  readonly #expected = new Map<string, Expected>()
  #loaded = 0
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #isPaused = false

  constructor(options: QueueOptions) {
    this.#options = options
  }

  /** How many are queued. Those in flight do not count. */
  get size(): number {
    return this.#size
  }

  add(entry: Omit<Waiting, 'queuedAt'>) {
    const waiting = { ...entry, queuedAt: this.#options.now() }
    this.#size += 1
    const isExpected = this.#expected.delete(entry.id)
    if (this.#loaded >= MAX_LOADED) waiting.delivery = undefined
    else if (waiting.delivery) this.#loaded += 1
    this.#place(waiting, isExpected)
    this.pump()
  }

  /**
   * A delivery failed and is added again in `ms`. If the destination keeps the order, later ones wait for it, and longer
   * while `isComing` says that it is on its way.
   */
  expect(id: string, ms: number, isComing = () => false) {
    if (!this.#options.keepsOrder) return
    const dueAt = this.#options.now() + ms
    this.#expected.set(id, { until: dueAt + RETURN_MS, latest: dueAt + MAX_RETURN_MS, isComing })
  }

  /** The failed deliveries that are expected will be added again now. */
  expectNow() {
    for (const [id, { isComing }] of this.#expected) this.expect(id, 0, isComing)
  }

  /** Starts what may go now, and sets a timer for what may go later. */
  pump() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (!this.#isPaused && this.#permissions.length + this.#ready.length > 0) {
      const expectedMs = this.#expectedInMs()
      const bypass = expectedMs > 0 ? undefined : this.#options.bypass?.()
      const ms = bypass ? 0 : Math.max(this.#options.limiter.readyInMs, expectedMs)
      if (ms > 0) {
        if (ms !== Number.POSITIVE_INFINITY) this.#pumpIn(ms)
        return
      }
      const entries = this.#next()
      if (entries.length === 0) return
      if (bypass) bypass(this.#takeAll(entries))
      else this.#start(entries)
    }
  }

  /** Removes and returns all queued entries, such as at the end of the worker. */
  clear(): Waiting[] {
    clearTimeout(this.#timer)
    return this.#takeAll([...this.#permissions.splice(0), ...this.#takeRest()])
  }

  /** Removes and returns the entries that have waited for at least `ms`. */
  takeOlderThan(ms: number): Waiting[] {
    const all = this.clear()
    const isOld = ({ queuedAt }: Waiting) => this.#options.now() - queuedAt >= ms
    for (const entry of all.filter((one) => !isOld(one))) {
      this.#size += 1
      if (entry.delivery) this.#loaded += 1
      this.#place(entry)
    }
    return all.filter(isOld)
  }

  /** Puts back entries that were taken for a summary, before the later ones of their sessions. */
  putBack(entries: readonly Waiting[]) {
    for (const entry of entries.toReversed()) {
      this.#size += 1
      if (this.#loaded >= MAX_LOADED) entry.delivery = undefined
      else if (entry.delivery) this.#loaded += 1
      const behind = this.#behind.get(entry.session) ?? this.#ready
      behind.unshift(entry)
    }
  }

  /** While paused nothing new starts. */
  setPaused(isPaused: boolean) {
    this.#isPaused = isPaused
    this.pump()
  }

  #place(entry: Waiting, isExpected = false) {
    if (entry.isPermission) return void this.#permissions.push(entry)
    const { session } = entry
    const behind = this.#behind.get(session)
    if (behind) return void behind.push(entry)
    if (!this.#options.keepsOrder) this.#behind.set(session, [])
    if (isExpected) this.#placeAgain(entry)
    else this.#ready.push(entry)
  }

  /** Puts a failed delivery back before the later ones of its session. */
  #placeAgain(entry: Waiting) {
    const { session } = entry
    const isLater = (one: Waiting) => one.session === session && byAcceptance(one, entry) > 0
    const at = this.#ready.findIndex(isLater)
    this.#ready.splice(at < 0 ? this.#ready.length : at, 0, entry)
  }

  /** For how long sending waits for failed deliveries that are about to be added again, in ms. */
  #expectedInMs(): number {
    const now = this.#options.now()
    for (const [id, one] of this.#expected) {
      if (one.until > now) continue
      if (now < one.latest && one.isComing()) one.until = Math.min(now + RETURN_MS, one.latest)
      else this.#expected.delete(id)
    }
    const times = [...this.#expected.values()].map(({ until }) => until)
    return times.length > 0 ? Math.max(...times) - now : 0
  }

  /** @returns none if the next is a summary, which waits for what is in flight */
  #next(): Waiting[] {
    const permission = this.#permissions.shift()
    if (permission) return [permission]
    if (this.#isSummaryDue()) return this.#busy.size > 0 ? [] : this.#takeRest()
    const entry = this.#ready.shift()
    return entry ? [entry] : []
  }

  #isSummaryDue(): boolean {
    const { summarizes, limiter, now } = this.#options
    const [first] = this.#ready
    if (!summarizes || limiter.isFailing || !first || this.#size < SUMMARY_FROM) return false
    return first.isLate || now() - first.queuedAt >= SUMMARY_AFTER_MS
  }

  /** Removes and returns everything but permission questions, in the order of arrival. */
  #takeRest(): Waiting[] {
    const rest = [...this.#ready, ...[...this.#behind.values()].flat()]
    this.#ready = []
    for (const [session] of this.#behind) {
      if (this.#busy.has(session)) this.#behind.set(session, [])
      else this.#behind.delete(session)
    }
    return rest.sort((a, b) => a.queuedAt - b.queuedAt)
  }

  #takeAll(entries: Waiting[]): Waiting[] {
    this.#size -= entries.length
    this.#loaded -= entries.filter(({ delivery }) => delivery).length
    return entries
  }

  #start(entries: Waiting[]) {
    this.#takeAll(entries)
    const { limiter, send, keepsOrder } = this.#options
    const sessions = new Set(
      keepsOrder ? [] : entries.flatMap((one) => (one.isPermission ? [] : one.session)),
    )
    for (const session of sessions) {
      this.#busy.add(session)
      if (!this.#behind.has(session)) this.#behind.set(session, [])
    }
    void send(entries, limiter.acquire()).finally(() => {
      for (const session of sessions) this.#endTurn(session)
      this.pump()
    })
  }

  /** The next message of the session may go. */
  #endTurn(session: string) {
    this.#busy.delete(session)
    const next = this.#behind.get(session)?.shift()
    if (next) this.#ready.push(next)
    else this.#behind.delete(session)
  }

  #pumpIn(ms: number) {
    this.#timer = setTimeout(() => this.pump(), Math.min(Math.ceil(ms), MAX_TIMEOUT_MS))
  }
}

/**
 * Decides when the next message may go to one destination. It limits concurrency and rate, and blocks for a while
 * after a failure. Then a single message goes as a probe, to see whether the destination works again.
 */
export class DestinationLimiter {
  readonly #options: LimiterOptions
  readonly #inFlight = new Set<Slot>()
  #nextStart = Number.NEGATIVE_INFINITY
  #trippedUntil = Number.NEGATIVE_INFINITY
  #failures = 0
  #failingSince = Number.POSITIVE_INFINITY

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  /** Whether the last attempt failed and none has succeeded since. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Whether there is a pause between two messages. */
  get isSlow(): boolean {
    return this.isFailing || this.#options.minIntervalMs > 0
  }

  /** Whether nothing is in flight. */
  get isIdle(): boolean {
    return this.#inFlight.size === 0
  }

  /** Whether the destination is blocked for a while after a failure. */
  get isTripped(): boolean {
    return this.#now() < this.#trippedUntil
  }

  /** For how long all attempts have failed, without idle times, in ms; 0 if the last one succeeded. */
  get failingMs(): number {
    return Math.max(0, this.#now() - this.#failingSince)
  }

  /** Milliseconds until the next message may go; Infinity while all slots are in use. */
  get readyInMs(): number {
    const concurrency = this.isFailing ? 1 : this.#options.concurrency
    if (this.#inFlight.size >= concurrency) return Number.POSITIVE_INFINITY
    return Math.max(0, this.#trippedUntil - this.#now(), this.#nextStart - this.#now())
  }

  acquire(): Slot {
    // The time since the end of the block does not count as failing: nothing was tried in it.
    if (this.isFailing) this.#failingSince += Math.max(0, this.#now() - this.#trippedUntil)
    const slot = { startedAt: this.#now() }
    this.#inFlight.add(slot)
    this.#nextStart = this.#now() + this.#options.minIntervalMs
    return slot
  }

  /** The attempt ended without a fault of the destination. */
  release(slot: Slot) {
    this.#inFlight.delete(slot)
    this.#failures = 0
    this.#failingSince = Number.POSITIVE_INFINITY
  }

  /** No attempt was made: nothing is known of the destination that was not known before. */
  cancel(slot: Slot) {
    this.#inFlight.delete(slot)
    // `acquire` counts the time since the end of the block, and has counted it until now.
    this.#trippedUntil = Math.max(this.#trippedUntil, this.#now())
  }

  /**
   * The attempt failed in a way that would hit the next message too. Blocks the destination for the time that
   * `delayAfter` returns for the number of failures in a row. @returns for how long it is blocked, in ms
   */
  trip(slot: Slot, delayAfter: (failures: number) => number): number {
    this.#inFlight.delete(slot)
    // Messages that were in flight together fail together: that is one failure, not several.
    if (slot.startedAt >= this.#trippedUntil || this.#failures === 0) this.#failures += 1
    this.block(delayAfter(this.#failures))
    return this.#trippedUntil - this.#now()
  }

  /** Blocks the destination for this long, as after a failure. */
  block(ms: number) {
    this.#failures = Math.max(1, this.#failures)
    this.#failingSince = Math.min(this.#failingSince, this.#now())
    this.#trippedUntil = Math.max(this.#trippedUntil, this.#now() + ms)
  }

  /** Forgets earlier failures, such as after somebody fixed a URL or a secret. */
  reset() {
    this.#trippedUntil = Number.NEGATIVE_INFINITY
    this.#failures = 0
    this.#failingSince = Number.POSITIVE_INFINITY
  }

  #now(): number {
    return this.#options.now()
  }
}

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
      // Not while a probe is due or in flight: the destination is still tried, and those that fail together keep order.
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
