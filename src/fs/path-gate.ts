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
    const cancel = afterTurns(this.#timeoutMs, () => {
      isHanging = true
      this.#hanging += 1
      giveUp()
      if (this.#hanging < this.#limit) return
      for (const one of this.#queue.splice(0)) one.giveUp()
    })
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

const TURNS = 10

/** A timeout in several turns of the event loop: while this process is held up, results wait too. */
function afterTurns(ms: number, done: () => void): () => void {
  let left = TURNS
  let timer: NodeJS.Timeout
  const turn = () => {
    if (left === 0) return done()
    left -= 1
    timer = setTimeout(turn, ms / TURNS)
    timer.unref()
  }
  turn()
  return () => clearTimeout(timer)
}

/** One for the whole process, because its threads are shared too. */
export const pathGate = new PathGate()
