/** How long a delivery waits for its turn before its event makes room for others. */
const PATIENCE_MS = 2000
/** Between the comebacks of deliveries that were turned away, where the destination asks for no pace. */
const SPREAD_MS = 5

export interface TurnedAway {
  /** When to come back, Unix ms. */
  until: number
  reason: string
}

interface Waiter {
  resolve(turn: TurnedAway | undefined): void
  timer: NodeJS.Timeout
}

/**
 * The way to one destination: so many at once, so far apart, and closed for a while after a failure.
 * One slow or dead destination must not hold up the events that also go elsewhere.
 */
export class Lane {
  readonly #concurrency: number
  readonly #minIntervalMs: number
  readonly #now: () => number
  readonly #queue: Waiter[] = []
  #active = 0
  #nextStart = 0
  #closedUntil = 0
  #closedReason = ''
  #booked = 0
  #failures = 0
  #pump: NodeJS.Timeout | undefined

  constructor(options: { concurrency: number; minIntervalMs: number; now: () => number }) {
    this.#concurrency = options.concurrency
    this.#minIntervalMs = options.minIntervalMs
    this.#now = options.now
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Resolves with undefined when it is this delivery's turn; then `leave` or `close` must follow. */
  enter(): Promise<TurnedAway | undefined> {
    if (this.#now() < this.#closedUntil) {
      return Promise.resolve(this.#turnAway(this.#closedUntil, this.#closedReason))
    }
    return new Promise((resolve) => {
      const waiter: Waiter = {
        resolve,
        timer: setTimeout(() => this.#loseTurn(waiter), PATIENCE_MS),
      }
      this.#queue.push(waiter)
      this.#next()
    })
  }

  /** The delivery ended and says nothing against the destination. */
  leave() {
    this.#active -= 1
    this.#failures = 0
    this.#next()
  }

  /** The delivery failed in a way that would hit the next one too: nobody goes for a while. */
  close(forMs: number, reason: string) {
    this.#active -= 1
    this.#failures += 1
    this.#closedUntil = this.#now() + forMs
    this.#closedReason = reason
    for (const waiter of this.#queue.splice(0)) {
      clearTimeout(waiter.timer)
      waiter.resolve(this.#turnAway(this.#closedUntil, reason))
    }
  }

  #next() {
    while (this.#queue.length > 0 && this.#active < this.#concurrency) {
      const wait = this.#nextStart - this.#now()
      if (wait > 0) {
        this.#pump ??= setTimeout(() => {
          this.#pump = undefined
          this.#next()
        }, wait)
        return
      }
      const waiter = this.#queue.shift()
      if (!waiter) return
      clearTimeout(waiter.timer)
      this.#active += 1
      this.#nextStart = this.#now() + this.#minIntervalMs
      waiter.resolve(undefined)
    }
  }

  #loseTurn(waiter: Waiter) {
    const place = this.#queue.indexOf(waiter)
    if (place < 0) return
    this.#queue.splice(place, 1)
    waiter.resolve(this.#turnAway(this.#now(), 'waiting for its turn'))
  }

  /** Comebacks are booked one behind the other, so that they do not all arrive together again. */
  #turnAway(from: number, reason: string): TurnedAway {
    this.#booked = Math.max(this.#booked, from) + Math.max(this.#minIntervalMs, SPREAD_MS)
    return { until: this.#booked, reason }
  }
}
