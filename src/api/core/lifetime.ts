/** Tells a transport when one attempt is cut short, by a timeout or an abort. That happens at most once. */
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

  /** Calls back when the attempt is cut short, or at once if it already was. */
  readonly onEnd = (callback: (reason: Error) => void) => {
    if (this.#reason) return callback(this.#reason)
    this.#callbacks ??= []
    this.#callbacks.push(callback)
  }

  /** The attempt is complete. Drops the callbacks, which would otherwise keep their objects in memory. */
  settle() {
    this.#callbacks = undefined
  }

  throwIfEnded() {
    if (this.#reason) throw this.#reason
  }

  /** The same as an `AbortSignal`. Created when first read, since that takes a tenth of a fast request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }
}
