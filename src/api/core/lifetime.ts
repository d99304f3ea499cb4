/** Tells a transport when one attempt is cut short, by a timeout or an abort. That happens at most once. */
export class Lifetime {
  /** Why it ended; undefined before. */
  endReason: Error | undefined
  #callbacks: ((reason: Error) => void)[] | undefined
  #controller: AbortController | undefined

  end(reason: Error) {
    if (this.endReason) return
    this.endReason = reason
    for (const callback of this.#callbacks ?? []) callback(reason)
    this.#controller?.abort(reason)
  }

  /** Calls back when the attempt is cut short, or at once if it already was. */
  readonly onEnd = (callback: (reason: Error) => void) => {
    if (this.endReason) return callback(this.endReason)
    this.#callbacks ??= []
    this.#callbacks.push(callback)
  }

  /** The attempt is complete. Drops the callbacks, which would otherwise keep their objects in memory. */
  settle() {
    this.#callbacks = undefined
  }

  /** The same as an `AbortSignal`. Created when first read, since that takes a tenth of a fast request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.endReason) this.#controller.abort(this.endReason)
    return this.#controller.signal
  }
}
