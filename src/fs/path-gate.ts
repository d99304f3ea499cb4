import { afterTurns } from '../patience.ts'

/**
 * File operations on a path from a session may hang for ever (a stopped server, a lost mount), and each holds one of the
 * few threads for all file operations: enough of them would block everything. At most two run here at a time.
 */
export class PathGate {
  readonly #limit: number
  readonly #timeoutMs: number
  readonly #queue: { start(): void; giveUp(): void }[] = []
  #running = 0
  /** How many of the running ones have timed out. */
  #hanging = 0

  constructor({ limit = 2, timeoutMs = 1000 } = {}) {
    this.#limit = limit
    this.#timeoutMs = timeoutMs
  }

  /** The result of `work`, or `otherwise` if it fails, takes too long, or hanging work takes up every place. */
  async run<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
    if (this.#hanging >= this.#limit) return otherwise
    return new Promise((resolve) => {
      const giveUp = () => resolve(otherwise)
      // The time starts here: waiting for other work that goes well is no sign of a hanging file system.
      const start = () => {
        this.#running += 1
        const isEnded = this.#watch(giveUp)
        // After a timeout nobody waits for it, but it takes up its place until it ends.
        void work()
          .catch(() => otherwise)
          .then((result) => {
            isEnded()
            resolve(result)
            this.#next()
          })
      }
      this.#queue.push({ start, giveUp })
      this.#next()
    })
  }

  /** Calls `giveUp` after the timeout. @returns what to call when the work ends */
  #watch(giveUp: () => void): () => void {
    let isHanging = false
    const late = () => {
      isHanging = true
      this.#hanging += 1
      giveUp()
      if (this.#hanging < this.#limit) return
      for (const one of this.#queue.splice(0)) one.giveUp()
    }
    const cancel = afterTurns(this.#timeoutMs, late, false)
    return () => {
      cancel()
      this.#running -= 1
      if (isHanging) this.#hanging -= 1
    }
  }

  #next() {
    if (this.#running < this.#limit) this.#queue.shift()?.start()
  }
}

/** One for the whole process, because its threads are shared too. */
export const pathGate = new PathGate()
