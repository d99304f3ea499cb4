/** The life of one attempt: ends once, at the latest when its time is over. */
export class Lifetime {
  #reason: Error | undefined
  #callbacks: ((reason: Error) => void)[] | undefined
  #controller: AbortController | undefined

  get hasEnded() {
    return this.#reason !== undefined
  }

  end(reason: Error) {
    if (this.#reason) return
    this.#reason = reason
    for (const callback of this.#callbacks ?? []) callback(reason)
    this.#controller?.abort(reason)
  }

  /** Calls back at the end, or at once if it is over already. */
  readonly onEnd = (callback: (reason: Error) => void) => {
    if (this.#reason) return callback(this.#reason)
    this.#callbacks ??= []
    this.#callbacks.push(callback)
  }

  /** Nothing can end it any more. Lets go of whoever was waiting, which is a chain of garbage else. */
  settle() {
    this.#callbacks = undefined
  }

  throwIfEnded() {
    if (this.#reason) throw this.#reason
  }

  /** The same as a signal. Made when it is first read, since that takes a tenth of a fast request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }
}
