import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { dropOldest } from '../drop-oldest.ts'
import { replaceUnsynced } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'
import { type JournalEntry, type Note, parseLine } from './entry.ts'
import { currentFile, KEPT_FILES } from './files.ts'
import {
  applyEntry,
  type ChannelStatus,
  type EventStatus,
  emptyStatus,
  type Outcome,
  outcomes,
} from './history.ts'
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

/** How many of the latest settled events are known one by one. */
export const LATEST = 500

/** How many more there may be before they are counted, which visits all events. */
const SPARE = 500

const MAX_CHANNELS = 100

/** An event without its texts. */
export interface KnownEvent extends EventStatus {
  /** The number of the journal file in which it began. */
  file: number
  /** For a question that reached nobody: how it is mentioned. Absent if the configuration keeps no texts. */
  asked?: string
}

/** The status that the last event of a channel has there. */
export interface LastOnChannel extends Pick<ChannelStatus, 'state' | 'detail' | 'at'> {
  /** Its event. */
  id: string
  acceptedAt: number
}

type Counts = Record<Outcome, number>

interface SavedOutcomes {
  file: number
  events: KnownEvent[]
  counted: [number, Counts][]
  channels: [string, LastOnChannel][]
}

/**
 * What became of the events in the journal. Those that are open, undelivered or dead, and the latest others, are known one
 * by one; the rest is counted, for each file of the journal by itself, as it goes with its file.
 */
export class Outcomes implements Reducer {
  /** The number of the newest file. */
  #file = 0
  readonly #events: Map<string, KnownEvent>
  /** By the number of the file: settled events that are not known one by one. */
  readonly #counted: Map<number, Counts>
  readonly #channels: Map<string, LastOnChannel>
  readonly #undelivered = new Set<string>()
  /** How many of the known events are settled. */
  #settled = 0

  /** @throws an error if `saved` is damaged */
  constructor(saved?: unknown) {
    const { file, events, counted, channels } = (saved ?? emptyState) as SavedOutcomes
    this.#file = file
    if (!events.every(isWhole)) throw new TypeError('damaged')
    this.#events = new Map(events.map((event) => [event.id, event]))
    this.#counted = new Map(counted)
    this.#channels = new Map(channels)
    for (const event of this.#events.values()) this.#notice(event)
  }

  get state(): SavedOutcomes {
    return {
      file: this.#file,
      events: [...this.#events.values()],
      counted: [...this.#counted],
      channels: [...this.#channels],
    }
  }

  /** The events that are known one by one, by id. */
  get events(): ReadonlyMap<string, KnownEvent> {
    return this.#events
  }

  /** How many events are only counted. */
  get counted(): Counts {
    const sum = noCounts()
    for (const counts of this.#counted.values()) {
      for (const outcome of outcomes) sum[outcome] += counts[outcome]
    }
    return sum
  }

  /** Questions that reached nobody, and that no later message has mentioned. */
  get undelivered(): KnownEvent[] {
    return [...this.#undelivered].flatMap((id) => this.#events.get(id) ?? [])
  }

  /** By channel name. */
  get channels(): ReadonlyMap<string, LastOnChannel> {
    return this.#channels
  }

  fold(entry: JournalEntry) {
    const known = this.#events.get(entry.id)
    if (!known && isAfterwards(entry)) return
    const event: KnownEvent =
      known ?? Object.assign(emptyStatus(entry.id, entry.at), { file: this.#file })
    if (known) this.#unnotice(known)
    applyEntry(event, entry)
    if (entry.type === 'undelivered' && entry.text !== undefined) event.asked = entry.text
    if (entry.type === 'accepted') {
      event.text = ''
      event.problems = []
      event.trace = []
    }
    this.#events.set(entry.id, event)
    this.#notice(event)
    this.#noteChannels(event)
    if (this.#settled > LATEST + SPARE) this.#countSettled()
  }

  nextFile() {
    this.#file += 1
    for (const file of this.#counted.keys()) if (this.#isGone(file)) this.#counted.delete(file)
    for (const event of this.#events.values()) {
      if (isSettled(event) && this.#isGone(event.file)) this.#forget(event)
    }
  }

  /** Forgets events whose file is gone, except open ones. Their entries are kept. */
  forgetGone(open: ReadonlySet<string>) {
    for (const event of this.#events.values()) {
      if (this.#isGone(event.file) && !open.has(event.id)) this.#forget(event)
    }
  }

  #isGone(file: number): boolean {
    return file < this.#file - KEPT_FILES
  }

  #forget(event: KnownEvent) {
    this.#unnotice(event)
    this.#events.delete(event.id)
  }

  #notice(event: KnownEvent) {
    this.#settled += isSettled(event)
    if (event.outcome === 'undelivered') this.#undelivered.add(event.id)
  }

  #unnotice(event: KnownEvent) {
    this.#settled -= isSettled(event)
    this.#undelivered.delete(event.id)
  }

  #countSettled() {
    const settled = [...this.#events.values()].filter(isSettled)
    settled.sort((one, other) => one.acceptedAt - other.acceptedAt)
    for (const event of settled.slice(0, -LATEST)) {
      this.#forget(event)
      const counts = this.#counted.get(event.file) ?? noCounts()
      counts[event.outcome] += 1
      this.#counted.set(event.file, counts)
    }
  }

  #noteChannels({ id, acceptedAt, channels }: KnownEvent) {
    for (const name in channels) {
      const status = channels[name]
      const last = this.#channels.get(name)
      if (!status || (last && last.id !== id && last.acceptedAt > acceptedAt)) continue
      const { state, detail, at } = status
      this.#channels.set(name, { state, detail, at, id, acceptedAt })
    }
    dropOldest(this.#channels, MAX_CHANNELS)
  }
}

const emptyState: SavedOutcomes = { file: 0, events: [], counted: [], channels: [] }

export function noCounts(): Counts {
  return { delivered: 0, suppressed: 0, undelivered: 0, dead: 0, waiting: 0 }
}

/** Whether it may follow when the event is settled. Of an event that is not known, it says nothing. */
function isAfterwards({ type }: JournalEntry): boolean {
  return ['answered', 'not-taken', 'unanswered', 'withdrawn'].includes(type)
}

function isWhole({ id, channels, to }: KnownEvent): boolean {
  return typeof id === 'string' && Object(channels) === channels && Array.isArray(to)
}

/** 1 if nothing more is to be expected of the event, otherwise 0. */
function isSettled({ outcome }: EventStatus): number {
  return outcome === 'delivered' || outcome === 'suppressed' ? 1 : 0
}

/** More than are broken at the same time. */
const MAX_DEAD_CHANNELS = 100

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants

interface SavedNotes {
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
    const { latest, deadChannels } = (saved ?? { latest: [], deadChannels: [] }) as SavedNotes
    this.#latest = new Map(latest)
    this.#deadChannels = new Set(deadChannels)
  }

  get state(): SavedNotes {
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
    dropOldest(this.#deadChannels, MAX_DEAD_CHANNELS)
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
