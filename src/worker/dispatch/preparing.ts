/** How many events are prepared concurrently, since preparing waits for transcripts to be read. */
const MAX_EVENTS = 64
/** Their size together, unless a single one is larger: in memory each takes several times the size of its file. */
const MAX_BYTES = 2 * 1024 * 1024

/** Counts the events and deliveries that are being prepared. */
export class Preparing {
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  hasRoomFor(bytes: number): boolean {
    if (this.#count === 0) return true
    return this.#count < MAX_EVENTS && this.#bytes + bytes <= MAX_BYTES
  }

  /** @returns what to call when it is prepared, also more than once */
  begin(bytes: number): () => void {
    this.#count += 1
    this.#bytes += bytes
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      this.#count -= 1
      this.#bytes -= bytes
    }
  }
}
