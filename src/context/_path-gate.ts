/**
 * File work on a path that a payload names may hang for ever: a stopped server, a lost mount. Node.js has four
 * threads for all file work, so that four of them would stop everything: at most two are at work here at a time.
 */
export class PathGate {
  readonly #limit: number
  readonly #timeoutMs: number
  readonly #queue: (() => void)[] = []
  #running = 0
  /** Of those that run, past their deadline. */
  #hanging = 0

  constructor({ limit = 2, timeoutMs = 1000 } = {}) {
    this.#limit = limit
    this.#timeoutMs = timeoutMs
  }

  /** What `work` finds out, or `otherwise` where that takes too long or every place is taken by what hangs. */
  async run<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
    if (this.#hanging >= this.#limit) return otherwise
    return new Promise((resolve) => {
      let isStarted = false
      let isOver = false
      const start = () => {
        if (isOver) return this.#next()
        isStarted = true
        this.#running += 1
        // Not awaited by whoever waited too long: it ends when it ends.
        void work()
          .catch(() => otherwise)
          .then((result) => {
            clearTimeout(timer)
            this.#running -= 1
            if (isOver) this.#hanging -= 1
            resolve(result)
            this.#next()
          })
      }
      const timer = setTimeout(() => {
        isOver = true
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

/** One for the whole process, as its threads are. */
export const pathGate = new PathGate()
