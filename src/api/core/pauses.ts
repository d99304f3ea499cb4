/** The pauses of a client's calls. They end when the client is closed. Not an `AbortSignal`, whose first one takes 1 ms. */
export class Pauses {
  /** Undefined once the client is closed. */
  #ends: Set<() => void> | undefined = new Set()

  /** Calls `end` when the client is closed, or at once if it is closed already. */
  add(end: () => void) {
    if (this.#ends) this.#ends.add(end)
    else end()
  }

  delete(end: () => void) {
    this.#ends?.delete(end)
  }

  endAll() {
    const ends = this.#ends ?? []
    this.#ends = undefined
    for (const end of ends) end()
  }
}
