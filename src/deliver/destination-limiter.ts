interface LimiterOptions {
  /** How many messages may be under way at once. */
  concurrency: number
  /** At least this long between two starts. */
  minIntervalMs: number
  /** Milliseconds of a clock that is never set back. */
  now: () => number
}

/** A delivery under way. To be returned with `release`, `trip` or `cancel`. */
export interface Slot {
  startedAt: number
}

/**
 * Decides when the next message may go to one destination. It limits concurrency and rate, and blocks for a while
 * after a failure. Then a single message goes as a probe, to see whether the destination works again.
 */
export class DestinationLimiter {
  readonly #options: LimiterOptions
  readonly #underWay = new Set<Slot>()
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

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#underWay.size === 0
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
    if (this.#underWay.size >= concurrency) return Number.POSITIVE_INFINITY
    return Math.max(0, this.#trippedUntil - this.#now(), this.#nextStart - this.#now())
  }

  acquire(): Slot {
    // The time since the end of the block does not count as failing: nothing was tried in it.
    if (this.isFailing) this.#failingSince += Math.max(0, this.#now() - this.#trippedUntil)
    const slot = { startedAt: this.#now() }
    this.#underWay.add(slot)
    this.#nextStart = this.#now() + this.#options.minIntervalMs
    return slot
  }

  /** The attempt ended without a fault of the destination. */
  release(slot: Slot) {
    this.#underWay.delete(slot)
    this.#failures = 0
    this.#failingSince = Number.POSITIVE_INFINITY
  }

  /** No attempt was made: nothing is known of the destination that was not known before. */
  cancel(slot: Slot) {
    this.#underWay.delete(slot)
    // `acquire` counts the time since the end of the block, and has counted it until now.
    this.#trippedUntil = Math.max(this.#trippedUntil, this.#now())
  }

  /**
   * The attempt failed in a way that would hit the next message too. Blocks the destination for the time that
   * `delayAfter` returns for the number of failures in a row. @returns for how long it is blocked, in ms
   */
  trip(slot: Slot, delayAfter: (failures: number) => number): number {
    this.#underWay.delete(slot)
    // Messages that were under way together fail together: that is one failure, not several.
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
