import { join } from 'node:path'
import { replaceUnsynced } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'
import { type JournalEntry, type Note, parseLine } from './entry.ts'
import { JournalReader, type Position } from './read.ts'

const FORMAT = 'hookbell-checkpoint 1'
const MAX_BYTES = 256 * 1024 * 1024
/** Reading this much again takes a few hundredths of a second. */
const WORTH_SAVING_BYTES = 256 * 1024

/** One part of the fold: what is remembered of the journal's entries. */
export interface Reducer {
  fold(entry: JournalEntry): void
  foldNote?(note: Note): void
  /** Called before the entries of the next file: the oldest one may be gone. */
  nextFile?(): void
  /** What the checkpoint keeps, as JSON. */
  readonly state: unknown
}

type Reducers = Readonly<Record<string, Reducer>>

/** By the name of the reducer; a reducer must cope with anything. */
type SavedStates = Readonly<Record<string, unknown>>

interface Checkpoint extends Position {
  format: string
  state: SavedStates
}

/**
 * A fold of the journal, across processes: a checkpoint, and the entries that the journal has gained since. Without the
 * checkpoint all of it is read, with the same result.
 */
export class Fold<Parts extends Reducers> {
  readonly #stateDir: string
  readonly #make: (saved: SavedStates) => Parts
  #parts: Parts | undefined
  #reader: JournalReader
  #saved: Position | undefined

  /** @param make makes the reducers from what a checkpoint has of them. A process may need only some */
  constructor(stateDir: string, make: (saved: SavedStates) => Parts) {
    this.#stateDir = stateDir
    this.#make = make
    this.#reader = new JournalReader(stateDir)
  }

  /** As far as the journal was read; undefined if nothing was. */
  get last(): Parts | undefined {
    return this.#parts
  }

  /** Up to the end of the journal. @throws if the journal cannot be read */
  now(): Parts {
    let parts = this.#parts ?? this.#restore()
    this.#reader.read({
      line: (line) => {
        const entry = parseLine(line)
        for (const name in entry && parts) attempt(() => foldInto(parts[name], entry))
      },
      nextFile: () => {
        for (const name in parts) parts[name]?.nextFile?.()
      },
      restart: () => {
        parts = this.#make({})
        this.#parts = parts
      },
    })
    return parts
  }

  /**
   * Writes the checkpoint. Best effort: without it, the next process reads more of the journal.
   * @param isWorth whether only if that saves reading much
   */
  save({ isWorth = false } = {}) {
    const { position } = this.#reader
    if (!this.#parts || !position) return
    const known = this.#saved?.inode === position.inode ? this.#saved.offset : 0
    if (position.offset - known < (isWorth ? WORTH_SAVING_BYTES : 1)) return
    const state = Object.fromEntries(
      Object.entries(this.#parts).map(([name, part]) => [name, part.state]),
    )
    const checkpoint: Checkpoint = { format: FORMAT, ...position, state }
    try {
      replaceUnsynced(checkpointPath(this.#stateDir), JSON.stringify(checkpoint))
      this.#saved = position
    } catch {
      // Such as a full disk.
    }
  }

  #restore(): Parts {
    const checkpoint = readCheckpoint(this.#stateDir)
    const restored = checkpoint && attempt(() => this.#make(checkpoint.state))
    if (restored) {
      const { inode, offset, before } = checkpoint
      this.#saved = { inode, offset, before }
      this.#reader = new JournalReader(this.#stateDir, this.#saved)
    }
    this.#parts = restored ?? this.#make({})
    return this.#parts
  }
}

function foldInto(part: Reducer | undefined, entry: JournalEntry | Note | undefined) {
  if (entry?.type === 'note') part?.foldNote?.(entry)
  else if (entry) part?.fold(entry)
}

function checkpointPath(stateDir: string): string {
  return join(stateDir, 'checkpoint.json')
}

function readCheckpoint(stateDir: string): Checkpoint | undefined {
  try {
    const value: Checkpoint = JSON.parse(readQuietly(checkpointPath(stateDir), MAX_BYTES) ?? '')
    const { format, inode, offset, before, state } = value
    const isWhole = Number.isSafeInteger(inode) && offset >= 0 && typeof before === 'string'
    return format === FORMAT && isWhole && Object(state) === state ? value : undefined
  } catch {
    return undefined
  }
}

/** What is damaged must not stop the rest. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
