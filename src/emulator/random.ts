/** A deterministic source of numbers: the same key always gives the same ones. */
export interface Random {
  /** From 0 to 1, without 1 itself. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number
  /** Whether something of this probability happens. */
  happens(probability: number): boolean
  pick<T>(values: readonly [T, ...T[]]): T
}

/** Makes the numbers of a key: mulberry32, seeded with the FNV-1a hash of the key. */
export function makeRandom(key: string): Random {
  let state = hash(key)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    int: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (probability) => next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
  }
}

function hash(key: string) {
  let value = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) {
    value = Math.imul(value ^ key.charCodeAt(index), 0x01000193)
  }
  return value | 0
}
