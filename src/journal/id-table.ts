/** The end of an id is random. With whole ids, this function alone takes a tenth of a start. */
const HASHED = 12

/** FNV-1a, 32 bits, of the end of an id. */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let index = Math.max(0, id.length - HASHED); index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Ids joined in one text. It is split only when an id itself is needed: mostly the hash is enough. */
export class JoinedIds {
  readonly text: string
  #list: readonly string[] | undefined

  /** @param text the ids, with a slash between them */
  constructor(text: string) {
    this.text = text
  }

  /** Empty if no ids were joined. */
  get list(): readonly string[] {
    this.#list ??= this.text === '' ? [] : this.text.split('/')
    return this.#list
  }
}

/**
 * A hash table from ids to rows. A Map of a quarter of a million texts takes ten times as long, and the memory of the
 * texts.
 */
export class IdTable {
  /** 0: a free slot; n: row n - 1. */
  readonly #slots: Int32Array
  readonly #hashes: Uint32Array
  readonly #idOf: (row: number) => string

  /** @param rows the maximum number of rows */
  constructor(rows: number, idOf: (row: number) => string) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * rows + 2)))
    this.#hashes = new Uint32Array(rows)
    this.#idOf = idOf
  }

  /** @returns the row of the id, or -1 if there is none */
  find(id: string): number {
    return this.#rowAt(this.#slotOf(hashOf(id), id))
  }

  /** @returns the row that stands for the same id. If there was none, that is now this row. */
  findOrAdd(row: number, hash: number): number {
    this.#hashes[row] = hash
    const slot = this.#slotOf(hash, row)
    const found = this.#rowAt(slot)
    if (found < 0) this.#slots[slot] = row + 1
    return found < 0 ? row : found
  }

  #rowAt(slot: number): number {
    return (this.#slots[slot] ?? 0) - 1
  }

  /** The slot of an id, or the free slot for it. @param sought the id, or a row that has it */
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
