import { dropOldest } from '../../drop-oldest.ts'

export const FIRST_LOOK_MS = 1000
const MAX_LOOK_MS = 30_000
/** More messages than are shown at once. */
const MAX_KNOWN = 200

/** When to read the transcripts of shown messages next, by handle. */
export class LookTimes {
  readonly #now: () => number
  readonly #next = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Plans the next reading: the older a question, the less often. */
  setNext(handle: string, ageMs: number) {
    const ms = Math.min(Math.max(ageMs / 10, FIRST_LOOK_MS), MAX_LOOK_MS)
    this.#next.delete(handle)
    this.#next.set(handle, this.#now() + ms)
    dropOldest(this.#next, MAX_KNOWN)
  }

  /** Milliseconds until then. A longer wait than any that is set means that the clock was set back. */
  inMs(handle: string): number {
    const ms = (this.#next.get(handle) ?? 0) - this.#now()
    return ms > MAX_LOOK_MS ? 0 : Math.max(0, ms)
  }
}
