import { dropOldest } from '../../drop-oldest.ts'

export const FIRST_LOOK_MS = 1000
const MAX_LOOK_MS = 30_000
/** More than are open at once. */
const MAX_KNOWN = 1000

/** When to read transcripts next, by question or by turn. */
export class LookTimes {
  readonly #now: () => number
  readonly #next = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Plans the next reading: the older, the less often. */
  setNext(key: string, ageMs: number) {
    const ms = Math.min(Math.max(ageMs / 10, FIRST_LOOK_MS), MAX_LOOK_MS)
    this.#next.delete(key)
    this.#next.set(key, this.#now() + ms)
    dropOldest(this.#next, MAX_KNOWN)
  }

  /**
   * Milliseconds until then. A longer wait than any that is set means that the clock was set back.
   * @param first when to read if nothing is planned, Unix ms
   */
  inMs(key: string, first = 0): number {
    const ms = (this.#next.get(key) ?? first) - this.#now()
    return ms > MAX_LOOK_MS ? 0 : Math.max(0, ms)
  }
}
