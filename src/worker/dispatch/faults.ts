import { describeError } from '../../errors.ts'

/** How many different faults are kept. */
const MAX_FAULTS = 100

/** Unexpected faults, for a worker in the foreground to report. */
export class Faults {
  readonly #texts = new Set<string>()

  get texts(): string[] {
    return [...this.#texts]
  }

  note(name: string, error: unknown) {
    if (this.#texts.size < MAX_FAULTS) this.#texts.add(`${name}: ${describeError(error)}`)
  }

  /** Runs the work and notes a failure, so that one unusable folder or file does not stop the rest. */
  isolate<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.note(what, error)
      return undefined
    }
  }
}
