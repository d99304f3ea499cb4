import { Changes } from '../wake-up.ts'

/** The work that a worker has begun and that has not ended. */
export class UnderWay {
  readonly #works = new Set<Promise<void>>()
  readonly #changes = new Changes()
  readonly #onEnd: () => void

  /** @param onEnd called whenever a piece of work has ended */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#works.size
  }

  get all(): Promise<void>[] {
    return [...this.#works]
  }

  /** @param work must not reject */
  add(work: Promise<void>) {
    const added = work.then(() => {
      this.#works.delete(added)
      this.ended()
    })
    this.#works.add(added)
  }

  /** Notifies everybody who waits that some work has ended. To be called also for work that is not counted here. */
  ended() {
    this.notify()
    this.#onEnd()
  }

  /** Resolves at the next `notify`, and when a piece of work has ended. */
  change(): Promise<void> {
    return this.#changes.next()
  }

  notify() {
    this.#changes.notify()
  }
}
