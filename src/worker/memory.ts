import { Fold } from '../journal/fold.ts'
import { Outcomes } from '../journal/outcomes.ts'
import { Memory, type MemoryState } from '../policy/memory.ts'

/**
 * What workers remember: the fold of the journal. Fails open: what cannot be read is not remembered, so at worst an unneeded
 * message is sent. A failed read is retried for the next event.
 */
export class WorkerMemory {
  readonly #fold: Fold<{ rules: Memory; outcomes: Outcomes }>

  constructor(stateDir: string) {
    this.#fold = new Fold(stateDir, (saved) => ({
      rules: new Memory(saved.rules as MemoryState | undefined),
      outcomes: new Outcomes(saved.outcomes),
    }))
  }

  /** The memory of the rules if it is loaded; undefined before the first `get`. */
  get current(): Memory | undefined {
    return this.#fold.last?.rules
  }

  /** The memory of the rules, with what the journal has gained. */
  async get(): Promise<Memory> {
    this.#catchUp()
    return this.current ?? new Memory()
  }

  /** Writes the checkpoint, if something was read. All that the rules have seen so far must be in the journal. */
  keep() {
    if (this.current === undefined) return
    this.#catchUp()
    this.#fold.save()
  }

  /** The same for an idle worker, which reads what it has missed, and writes seldom. */
  keepIdle() {
    this.#catchUp()
    this.#fold.save({ isWorth: true })
  }

  /** Call this after a rotation. @param open ids of the events whose entries it has kept */
  rotated(open: ReadonlySet<string>) {
    this.#catchUp()
    this.#fold.last?.outcomes.forgetGone(open)
    this.#fold.save()
  }

  #catchUp() {
    try {
      this.#fold.now()
    } catch {
      // The journal cannot be read now.
    }
  }
}
