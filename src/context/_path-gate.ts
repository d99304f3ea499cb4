/**
 * File operations on a path from a payload may hang for ever (a stopped server, a lost mount). Node.js has four threads
 * for all file operations, so that four hanging ones would block everything. At most two run here at a time.
 */
export class PathGate {
  readonly #limit: number
  readonly #timeoutMs: number
  readonly #queue: (() => void)[] = []
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
      let isStarted = false
      let hasTimedOut = false
      const start = () => {
        if (hasTimedOut) return this.#next()
        isStarted = true
        this.#running += 1
        // After a timeout nobody waits for it, but it takes up its place until it ends.
        void work()
          .catch(() => otherwise)
          .then((result) => {
            clearTimeout(timer)
            this.#running -= 1
            if (hasTimedOut) this.#hanging -= 1
            resolve(result)
            this.#next()
          })
      }
      const timer = setTimeout(() => {
        hasTimedOut = true
        resolve(otherwise)
        if (!isStarted) return
        this.#hanging += 1
      }, this.#timeoutMs)
      timer.unref()
      this.#queue.push(start)
      if (this.#running < this.#limit) this.#next()
    })
  }

  #next() {
    if (this.#running < this.#limit) this.#queue.shift()?.()
  }
}

/** One for the whole process, because its threads are shared too. */
export const pathGate = new PathGate()
