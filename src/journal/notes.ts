import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { dropOldest } from '../drop-oldest.ts'
import type { JournalEntry, Note } from './entry.ts'
import { currentFile } from './files.ts'
import type { Reducer } from './fold.ts'

/** More than are broken at the same time. */
const MAX_CHANNELS = 100

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants

interface Saved {
  latest: [string, string][]
  deadChannels: string[]
}

/** What workers must remember that no entry about an event says. */
export class Notes implements Reducer {
  /** By subject. */
  readonly #latest: Map<string, string>
  readonly #deadChannels: Set<string>

  /** @throws an error if `saved` is damaged */
  constructor(saved?: unknown) {
    const { latest, deadChannels } = (saved ?? { latest: [], deadChannels: [] }) as Saved
    this.#latest = new Map(latest)
    this.#deadChannels = new Set(deadChannels)
  }

  get state(): Saved {
    return { latest: [...this.#latest], deadChannels: this.deadChannels }
  }

  /** Those that were reported as dead, and by which nothing was delivered since. */
  get deadChannels(): string[] {
    return [...this.#deadChannels]
  }

  /** What was noted last about a subject. */
  latest(subject: Note['subject']): string | undefined {
    return this.#latest.get(subject)
  }

  foldNote({ subject, value }: Note) {
    if (subject !== 'dead channel') return void this.#latest.set(subject, value)
    this.#deadChannels.add(value)
    dropOldest(this.#deadChannels, MAX_CHANNELS)
  }

  fold(entry: JournalEntry) {
    if (entry.type === 'delivered') this.#deadChannels.delete(entry.channel)
  }
}

/**
 * Writes a note into the journal before it returns, so that a lock can be held meanwhile.
 * @throws the system error
 */
export function writeNote(stateDir: string, note: Note) {
  const file = openSync(currentFile(stateDir), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    const last = Buffer.from('\n')
    readSync(file, last, 0, 1, Math.max(0, fstatSync(file).size - 1))
    // The line before it may have been cut.
    writeSync(file, `${last.toString() === '\n' ? '' : '\n'}${JSON.stringify(note)}\n`)
  } finally {
    closeSync(file)
  }
}
