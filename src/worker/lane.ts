/** How long a delivery waits for its turn before its event makes room for others. */
const PATIENCE_MS = 2000
/** Between the comebacks of deliveries that were turned away, at least. */
const SPREAD_MS = 5

export interface TurnedAway {
  /** When to come back, in ms from now. */
  afterMs: number
  reason: string
  /** Nothing is wrong: others were first. */
  isQueued: boolean
}

/** A delivery under way; to be handed back with `leave` or `close`. */
export interface Turn {
  startedAt: number
}

interface Waiter {
  resolve(entry: Turn | TurnedAway): void
  timer: NodeJS.Timeout
}

interface LaneOptions {
  concurrency: number
  minIntervalMs: number
  /** Milliseconds of a clock that is never put back. */
  now: () => number
}

/**
 * The way to one destination: so many at once, so far apart, and closed for a while after a failure.
 * One slow or dead destination must not hold up the events that also go elsewhere.
 */
export class Lane {
  readonly #options: LaneOptions
  readonly #queue: Waiter[] = []
  readonly #underWay = new Set<Turn>()
  #nextStart = Number.NEGATIVE_INFINITY
  #closedUntil = Number.NEGATIVE_INFINITY
  #closedReason = ''
  #booked = Number.NEGATIVE_INFINITY
  #failures = 0
  /** How long a delivery takes, smoothed. */
  #usualMs = 0
  #pump: NodeJS.Timeout | undefined

  constructor(options: LaneOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#now() >= this.#closedUntil
  }

  /** Resolves when it is this delivery's turn, or with when to come back. */
  async enter(): Promise<Turn | TurnedAway> {
    if (!this.isOpen) return this.#turnAwayClosed()
    if (this.#isHopeless()) return this.#turnAwayQueued()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#loseTurn(waiter), PATIENCE_MS)
      const waiter: Waiter = { resolve, timer }
      this.#queue.push(waiter)
      this.#next()
    })
  }

  /** The delivery ended and says nothing against the destination. */
  leave(turn: Turn) {
    this.#underWay.delete(turn)
    this.#usualMs += (this.#now() - turn.startedAt - this.#usualMs) / 4
    this.#failures = 0
    this.#next()
  }

  /**
   * The delivery failed in a way that would hit the next one too: nobody goes for a while, which `delayAfter`
   * so many failures in a row gives. @returns how long the lane stays closed, in ms
   */
  close(turn: Turn, delayAfter: (failures: number) => number, reason: string): number {
    this.#underWay.delete(turn)
    // Those that were under way together fail together: that is one failure, not several.
    if (turn.startedAt >= this.#closedUntil || this.#failures === 0) this.#failures += 1
    const until = this.#now() + delayAfter(this.#failures)
    this.#closedUntil = Math.max(this.#closedUntil, until)
    this.#closedReason = reason
    for (const waiter of this.#queue.splice(0)) {
      clearTimeout(waiter.timer)
      waiter.resolve(this.#turnAwayClosed())
    }
    return this.#closedUntil - this.#now()
  }

  /** Whoever cannot have its turn in time does not take up a place meanwhile. */
  #isHopeless(): boolean {
    const { concurrency, minIntervalMs } = this.#options
    const pacedMs = this.#nextStart - this.#now() + this.#queue.length * minIntervalMs
    const isFull = this.#queue.length >= Math.max(8, 3 * concurrency)
    return (
      isFull || (minIntervalMs > 0 && pacedMs >= PATIENCE_MS) || this.#stalledMs() > PATIENCE_MS
    )
  }

  /** How long nobody could start any more; 0 while there is room. */
  #stalledMs(): number {
    if (this.#underWay.size < this.#options.concurrency) return 0
    const latest = Math.max(...[...this.#underWay].map(({ startedAt }) => startedAt))
    return this.#now() - latest
  }

  #next() {
    const { concurrency, minIntervalMs } = this.#options
    while (this.#queue.length > 0 && this.#underWay.size < concurrency) {
      const waitMs = this.#nextStart - this.#now()
      if (waitMs > 0) {
        this.#pump ??= setTimeout(() => {
          this.#pump = undefined
          this.#next()
        }, waitMs)
        return
      }
      const waiter = this.#queue.shift()
      if (!waiter) return
      clearTimeout(waiter.timer)
      const turn = { startedAt: this.#now() }
      this.#underWay.add(turn)
      this.#nextStart = this.#now() + minIntervalMs
      waiter.resolve(turn)
    }
  }

  #loseTurn(waiter: Waiter) {
    const place = this.#queue.indexOf(waiter)
    if (place < 0) return
    this.#queue.splice(place, 1)
    waiter.resolve(this.#turnAwayQueued())
  }

  #turnAwayClosed(): TurnedAway {
    const afterMs = this.#book(this.#closedUntil)
    return { afterMs, reason: this.#closedReason, isQueued: false }
  }

  #turnAwayQueued(): TurnedAway {
    const { minIntervalMs } = this.#options
    // The longer it stalls, the longer nobody comes back to look.
    const from = minIntervalMs > 0 ? this.#nextStart : this.#now() + this.#stalledMs()
    return { afterMs: this.#book(from), reason: 'waiting for its turn', isQueued: true }
  }

  /** Comebacks are booked one behind the other, so that they do not all arrive together again. */
  #book(from: number): number {
    const { concurrency, minIntervalMs } = this.#options
    const stepMs = Math.max(minIntervalMs, this.#usualMs / concurrency, SPREAD_MS)
    this.#booked = Math.max(this.#booked, from) + stepMs
    return Math.max(0, this.#booked - this.#now())
  }

  #now(): number {
    return this.#options.now()
  }
}
