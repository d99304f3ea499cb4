interface LimiterOptions {
  /** How many messages may be under way at once. */
  concurrency: number
  /** At least this long between two starts. */
  minIntervalMs: number
  /** Milliseconds of a clock that is never put back. */
  now: () => number
}

/** A delivery under way; to be handed back with `release` or `trip`. */
export interface Slot {
  startedAt: number
}

/**
 * When the next message may go to one destination: so many at once, so far apart, and for a while none after a
 * failure. After that while one goes alone, to see whether the destination is well again.
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

  /** Whether the last attempt failed, so that the destination is not known to be well. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** Whether nobody goes for a while. */
  get isTripped(): boolean {
    return this.#now() < this.#trippedUntil
  }

  /** For how long attempts were made and each has failed, in ms; 0 where the last one did not. */
  get failingMs(): number {
    return Math.max(0, this.#now() - this.#failingSince)
  }

  /** Milliseconds until a message may go; Infinity until one that is under way has ended. */
  get readyInMs(): number {
    const concurrency = this.isFailing ? 1 : this.#options.concurrency
    if (this.#underWay.size >= concurrency) return Number.POSITIVE_INFINITY
    return Math.max(0, this.#trippedUntil - this.#now(), this.#nextStart - this.#now())
  }

  acquire(): Slot {
    // Nobody tried meanwhile: the machine slept, or nothing was to be sent.
    if (this.isFailing) this.#failingSince += Math.max(0, this.#now() - this.#trippedUntil)
    const slot = { startedAt: this.#now() }
    this.#underWay.add(slot)
    this.#nextStart = this.#now() + this.#options.minIntervalMs
    return slot
  }

  /** The attempt ended and says nothing against the destination. */
  release(slot: Slot) {
    this.#underWay.delete(slot)
    this.#failures = 0
    this.#failingSince = Number.POSITIVE_INFINITY
  }

  /**
   * The attempt failed in a way that would hit the next message too: none goes for a while, which `delayAfter` so many
   * failures in a row gives. @returns how long, in ms
   */
  trip(slot: Slot, delayAfter: (failures: number) => number): number {
    this.#underWay.delete(slot)
    // Messages that were under way together fail together: that is one failure, not several.
    if (slot.startedAt >= this.#trippedUntil || this.#failures === 0) this.#failures += 1
    this.#failingSince = Math.min(this.#failingSince, this.#now())
    this.#trippedUntil = Math.max(this.#trippedUntil, this.#now() + delayAfter(this.#failures))
    return this.#trippedUntil - this.#now()
  }

  /** Somebody fixed a URL or a secret: what failed before says nothing any more. */
  reset() {
    this.#trippedUntil = Number.NEGATIVE_INFINITY
    this.#failures = 0
    this.#failingSince = Number.POSITIVE_INFINITY
  }

  #now(): number {
    return this.#options.now()
  }
}
