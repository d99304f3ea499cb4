import { monotonicMs } from '../monotonic.ts'

/** How long a value is reused: too short to notice, long enough to share it among events that come together. */
export const FRESH_MS = 20
/** Limits the memory for keys that come and go, such as folders that events name. */
const MAX_KEYS = 1000

/** Caches values that rarely change, each for 20 ms. */
export class Fresh<Value> {
  readonly #look: (key: string) => Value
  readonly #known = new Map<string, { value: Value; until: number }>()

  /** @param look computes the value for a key if none is cached */
  constructor(look: (key: string) => Value) {
    this.#look = look
  }

  /** @throws what `look` throws; errors are not cached */
  get(key = ''): Value {
    const now = monotonicMs()
    const known = this.#known.get(key)
    if (known && now < known.until) return known.value
    const value = this.#look(key)
    if (this.#known.size >= MAX_KEYS) this.#known.clear()
    this.#known.set(key, { value, until: now + FRESH_MS })
    return value
  }

  /** Must be called after each change that this process makes itself. */
  forget() {
    this.#known.clear()
  }
}
