/** How many events are prepared concurrently, since preparing waits for transcripts to be read. */
const MAX_EVENTS = 64
/** How many messages they make together, unless a single one makes more. */
const MAX_MESSAGES = 128
/** Their size together, unless a single one is larger: in memory each takes several times the size of its file. */
const MAX_BYTES = 2 * 1024 * 1024

/** Counts the events and deliveries that are being prepared. */
export class Preparing {
  /**
   * How many messages each event makes. 1 while few wait: then memory matters less than not waiting for a slow
   * transcript.
   */
  messagesEach = 1
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  hasRoomFor(bytes: number): boolean {
    if (this.#count === 0) return true
    const events = this.#count + 1
    const isFew = events <= MAX_EVENTS && events * this.messagesEach <= MAX_MESSAGES
    return isFew && this.#bytes + bytes <= MAX_BYTES
  }

  /** @returns the function to call when it is prepared; further calls do nothing */
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
