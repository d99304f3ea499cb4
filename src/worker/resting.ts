const FIRST_MS = 1000
const MAX_MS = 60_000

/** Events and deliveries that failed unexpectedly (a full disk, a bug), with a pause that grows with each failure. */
export class Resting {
  readonly #now: () => number
  readonly #names = new Map<string, { times: number; until: number }>()

  /** @param now milliseconds of a clock that is never put back */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds until the first pause ends; undefined if there is none. */
  get nextInMs(): number | undefined {
    if (this.#names.size === 0) return undefined
    const until = Math.min(...[...this.#names.values()].map((rest) => rest.until))
    return Math.max(0, until - this.#now())
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

  /** Names whose pause is over. */
  rested(): string[] {
    return [...this.#names.keys()].filter((name) => !this.has(name))
  }
}
