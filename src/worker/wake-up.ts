/** The longest delay that setTimeout supports. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** A wait that `notify` ends early. A call between two waits is not lost. */
export class WakeUp {
  #isDue = true
  #wake: (() => void) | undefined

  notify() {
    this.#isDue = true
    this.#wake?.()
  }

  /** Resolves at the next call of `notify`, at once if there was one since the last wait, or after `ms`. */
  async wait(ms: number) {
    if (!this.#isDue) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), MAX_TIMEOUT_MS))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#isDue = false
  }
}

/** Wakes everybody who waits at the moment, once. */
export class Changes {
  #waiting: (() => void)[] = []

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  notify() {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
