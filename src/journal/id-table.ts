/** FNV-1a, 32 bits. */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Ids in one text. It is taken apart only where one of them is asked for: mostly the hash is enough. */
export class JoinedIds {
  readonly text: string
  #list: readonly string[] | undefined

  /** @param text the ids, with a slash between them */
  constructor(text: string) {
    this.text = text
  }

  /** Empty for what was joined of none. */
  get list(): readonly string[] {
    this.#list ??= this.text === '' ? [] : this.text.split('/')
    return this.#list
  }
}

/**
 * Finds the row of an id by its hash. A Map of a quarter of a million texts takes ten times as long, and the memory of
 * the texts.
 */
export class IdTable {
  /** 0 is free, n stands for row n - 1. */
  readonly #slots: Int32Array
  readonly #hashes: Uint32Array
  readonly #idOf: (row: number) => string

  /** @param rows how many there can be */
  constructor(rows: number, idOf: (row: number) => string) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * rows + 2)))
    this.#hashes = new Uint32Array(rows)
    this.#idOf = idOf
  }

  /** @returns -1 for an id that is not there */
  find(id: string): number {
    return this.#rowAt(this.#slotOf(hashOf(id), id))
  }

  /** @returns the row that stands for the same id, which is this one where none did */
  findOrAdd(row: number, hash: number): number {
    this.#hashes[row] = hash
    const slot = this.#slotOf(hash, row)
    const found = this.#rowAt(slot)
    if (found < 0) this.#slots[slot] = row + 1
    return found < 0 ? row : found
  }

  /** From now on this row stands for the id of another. */
  replace(other: number, row: number) {
    this.#slots[this.#slotOf(this.#hashes[other] ?? 0, other)] = row + 1
  }

  #rowAt(slot: number): number {
    return (this.#slots[slot] ?? 0) - 1
  }

  /** Where an id is, else the free place for it. @param sought the id, or a row that has it */
  #slotOf(hash: number, sought: string | number): number {
    const last = this.#slots.length - 1
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const row = this.#rowAt(slot)
      if (row < 0 || (this.#hashes[row] === hash && this.#isSame(row, sought))) return slot
    }
  }

  #isSame(row: number, sought: string | number): boolean {
    if (row === sought) return true
    return this.#idOf(row) === (typeof sought === 'string' ? sought : this.#idOf(sought))
  }
}
