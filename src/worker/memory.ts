import type { Note } from '../journal/entry.ts'
import { Fold, type KnownEvent, Notes, Outcomes, writeNote } from '../journal/fold.ts'
import { Memory, type MemoryState } from '../policy/memory.ts'

/** What the workers of a state folder have noted, for a worker of another one. */
export function notesIn(stateDir: string): Notes {
  const fold = new Fold(stateDir, (saved) => ({ notes: new Notes(saved.notes) }))
  try {
    return fold.now().notes
  } catch {
    return fold.last?.notes ?? new Notes()
  }
}

/**
 * What workers remember: the fold of the journal. Fails open: what cannot be read is not remembered, so at worst an unneeded
 * message is sent. A failed read is retried for the next event.
 */
export class WorkerMemory {
  readonly #fold: Fold<{ rules: Memory; outcomes: Outcomes; notes: Notes }>

  readonly #stateDir: string

  constructor(stateDir: string) {
    this.#stateDir = stateDir
    this.#fold = new Fold(stateDir, (saved) => ({
      rules: new Memory(saved.rules as MemoryState | undefined),
      outcomes: new Outcomes(saved.outcomes),
      notes: new Notes(saved.notes),
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

  /** Questions that reached nobody, and that no later message has mentioned. */
  unreached(): KnownEvent[] {
    this.#catchUp()
    return this.#fold.last?.outcomes.undelivered ?? []
  }

  /** What workers have noted so far. */
  get notes(): Pick<Notes, 'deadChannels' | 'latest'> {
    this.#catchUp()
    return this.#fold.last?.notes ?? new Notes()
  }

  /** Writes a note into the journal. */
  note(subject: Note['subject'], value: string, at: number) {
    const note: Note = { at, type: 'note', subject, value }
    try {
      writeNote(this.#stateDir, note)
    } catch {
      // Such as a full disk. This worker must know it: two dead channels would report each other without end.
      this.#catchUp()
      this.#fold.last?.notes.foldNote(note)
    }
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
