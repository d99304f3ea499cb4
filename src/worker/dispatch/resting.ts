const FIRST_MS = 1000
const MAX_MS = 60_000
/** How long after its pause a failure is remembered: by then the file has gone, or another worker handles it. */
const FORGET_AFTER_MS = 10 * MAX_MS

/** Events and deliveries that failed unexpectedly (a full disk, a bug), with a pause that grows with each failure. */
export class Resting {
  readonly #now: () => number
  readonly #names = new Map<string, { times: number; until: number }>()

  /** @param now milliseconds of a clock that is never set back */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds until the next pause ends; undefined if there is none. */
  get nextInMs(): number | undefined {
    const now = this.#now()
    let next: number | undefined
    for (const { until } of this.#names.values()) {
      if (until > now) next = Math.min(next ?? Number.POSITIVE_INFINITY, until - now)
    }
    return next
  }

  has(name: string): boolean {
    return (this.#names.get(name)?.until ?? 0) > this.#now()
  }

  /** @param times how often it was tried, including this time */
  add(name: string, times: number) {
    const ms = Math.min(FIRST_MS * 2 ** (times - 1), MAX_MS)
    this.#names.set(name, { times, until: this.#now() + ms })
  }

  timesOf(name: string): number {
    return this.#names.get(name)?.times ?? 0
  }

  delete(name: string) {
    this.#names.delete(name)
  }

  forgetOld() {
    const now = this.#now()
    for (const [name, { until }] of this.#names) {
      if (until + FORGET_AFTER_MS <= now) this.#names.delete(name)
    }
  }
}
