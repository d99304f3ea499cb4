import { monotonicMs } from '../monotonic.ts'

/** How old the answer of a look may be: nobody notices, and events that come together share one look. */
export const FRESH_MS = 20
/** Folders that events name come and go. */
const MAX_KEYS = 1000

/** Looks at what hardly ever changes, and keeps each answer for 20 ms. */
export class Fresh<Value> {
  readonly #look: (key: string) => Value
  readonly #known = new Map<string, { value: Value; until: number }>()

  /** @param look what to ask where no answer is fresh; `key` says about what */
  constructor(look: (key: string) => Value) {
    this.#look = look
  }

  /** @throws what the look throws, each time */
  get(key = ''): Value {
    const now = monotonicMs()
    const known = this.#known.get(key)
    if (known && now < known.until) return known.value
    const value = this.#look(key)
    if (this.#known.size >= MAX_KEYS) this.#known.clear()
    this.#known.set(key, { value, until: now + FRESH_MS })
    return value
  }

  /** To be called with each change of our own. */
  forget() {
    this.#known.clear()
  }
}
