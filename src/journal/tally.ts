import type { JournalEntry } from './entry.ts'
import { applyEntry, type EventStatus, emptyStatus, hasDead, type Outcome } from './history.ts'
import { IdTable } from './id-table.ts'
import type { Path, Segment } from './segment.ts'

/** An event, with what the tally knows of it. */
export interface TalliedEvent {
  id: string
  /** Unix ms. */
  acceptedAt: number
  outcome: Outcome
  /** By channel name: its status if there is one, without texts and times. */
  channels: EventStatus['channels']
  /** The channels that were chosen for it. */
  to: readonly string[]
}

/** The status shared by all events that have the same sequence of entries. */
interface Progress {
  status: EventStatus
  after: Map<Path, Progress>
}

/**
 * Folds the journal as EventHistory does, but without the texts. A row holds what one segment says of one event; the
 * first of an event's rows stands for the event. Objects are made only for events that are requested.
 */
export class Tally {
  readonly #start = progressOf(emptyStatus('', 0))
  readonly #segments: readonly Segment[]
  readonly #firstRows: number[] = []
  /** The index of the segment of each row. */
  readonly #segmentOf: Uint32Array
  readonly #table: IdTable
  readonly #at: number[] = []
  /** By row; undefined if another row stands for the event. */
  readonly #progress: (Progress | undefined)[] = []
  /** Rows, after the others, of events that no segment has. */
  readonly #expected = new Map<string, number>()
  readonly #expectedIds = new Map<number, string>()
  #sorted: readonly number[] | undefined

  /** @param segments of all files of the journal, in their order */
  constructor(segments: readonly Segment[]) {
    this.#segments = segments
    const rows = segments.reduce((sum, { path }) => sum + path.length, 0)
    this.#table = new IdTable(rows, (row) => this.#idOf(row))
    this.#segmentOf = new Uint32Array(rows)
    for (const [number, segment] of segments.entries()) this.#add(segment, number)
  }

  has(id: string): boolean {
    return this.#progress[this.#rowOf(id)] !== undefined
  }

  /** Adds an event that is accepted but that no worker has handled yet. */
  expect(id: string, acceptedAt: number) {
    if (this.has(id)) return
    this.#sorted = undefined
    const row = this.#at.push(acceptedAt) - 1
    this.#progress.push(this.#start)
    this.#expected.set(id, row)
    this.#expectedIds.set(row, id)
  }

  /** Marks an event as dead because something of it is in dead/, unless the journal says so too. */
  markDead(id: string) {
    const row = this.#rowOf(id)
    const progress = this.#progress[row]
    if (progress && !hasDead(progress.status))
      this.#progress[row] = progressOf({ ...progress.status, outcome: 'dead' })
  }

  count(): Record<Outcome, number> {
    const counts = { delivered: 0, suppressed: 0, undelivered: 0, dead: 0, waiting: 0 }
    for (const progress of this.#progress) if (progress) counts[progress.status.outcome] += 1
    return counts
  }

  /** How many have something in dead/, whatever their outcome is: another channel may still wait. */
  countDead(): number {
    return this.#progress.filter((progress) => progress && hasDead(progress.status)).length
  }

  /** All of them, oldest first. */
  events(): TalliedEvent[] {
    return this.#rows().map((row) => this.#eventAt(row))
  }

  /** The last ones, oldest first. */
  latest(limit: number): TalliedEvent[] {
    return this.#rows()
      .slice(-limit)
      .map((row) => this.#eventAt(row))
  }

  oldest(outcome: Outcome): TalliedEvent | undefined {
    const row = this.#rows().find((one) => this.#progress[one]?.status.outcome === outcome)
    return row === undefined ? undefined : this.#eventAt(row)
  }

  /** By channel name: the last event that has a status on that channel. */
  latestByChannel(): Map<string, TalliedEvent> {
    const latest = new Map<string, TalliedEvent>()
    const seen = new Set<Progress>()
    const rows = this.#rows()
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      const row = rows[index] ?? -1
      const progress = this.#progress[row]
      if (!progress || seen.has(progress)) continue
      seen.add(progress)
      for (const name of Object.keys(progress.status.channels)) {
        if (!latest.has(name)) latest.set(name, this.#eventAt(row))
      }
    }
    return latest
  }

  #add({ hashes, at, paths, path }: Segment, number: number) {
    const first = this.#at.length
    this.#firstRows.push(first)
    this.#segmentOf.fill(number, first, first + path.length)
    for (let index = 0; index < path.length; index += 1) {
      this.#at.push(at[index] ?? 0)
      this.#progress.push(undefined)
      const eventPath = paths[path[index] ?? -1]
      if (eventPath) this.#fold(first + index, hashes[index] ?? 0, eventPath)
    }
  }

  /** Adds the row's entries to the event that another row stands for, or begins a new event. */
  #fold(row: number, hash: number, path: Path) {
    const known = this.#table.findOrAdd(row, hash)
    this.#progress[known] = advance(this.#progress[known] ?? this.#start, path)
    if (path.isAccepted) this.#at[known] = this.#at[row] ?? 0
  }

  #rowOf(id: string): number {
    const row = this.#table.find(id)
    return this.#progress[row] ? row : (this.#expected.get(id) ?? -1)
  }

  #idOf(row: number): string {
    const number = this.#segmentOf[row] ?? 0
    return this.#segments[number]?.ids.list[row - (this.#firstRows[number] ?? 0)] ?? ''
  }

  #eventAt(row: number): TalliedEvent {
    const { outcome, channels, to } = (this.#progress[row] ?? this.#start).status
    return {
      id: this.#expectedIds.get(row) ?? this.#idOf(row),
      acceptedAt: this.#at[row] ?? 0,
      outcome,
      channels,
      to,
    }
  }

  /** The rows that stand for an event, in the order of acceptance. */
  #rows(): readonly number[] {
    if (this.#sorted) return this.#sorted
    const rows: number[] = []
    let isSorted = true
    let before = Number.NEGATIVE_INFINITY
    for (let row = 0; row < this.#progress.length; row += 1) {
      if (!this.#progress[row]) continue
      const at = this.#at[row] ?? 0
      isSorted &&= at >= before
      before = at
      rows.push(row)
    }
    if (!isSorted) rows.sort((a, b) => (this.#at[a] ?? 0) - (this.#at[b] ?? 0))
    this.#sorted = rows
    return rows
  }
}

function progressOf(status: EventStatus): Progress {
  return { status, after: new Map() }
}

/** Memoized, since most events have the same entries. */
function advance(progress: Progress, path: Path): Progress {
  const known = progress.after.get(path)
  if (known) return known
  const status = { ...progress.status, channels: { ...progress.status.channels } }
  for (const step of path.steps) applyEntry(status, entryOf(step))
  const next = progressOf(status)
  progress.after.set(path, next)
  return next
}

/** An entry with only the fields that are counted. */
function entryOf(step: string): JournalEntry {
  const [type, ...names] = step.split('\n')
  return { at: 0, id: '', type, reason: '', answer: '', ...channelsIn(type, names) } as JournalEntry
}

function channelsIn(type: string | undefined, names: string[]) {
  if (type !== 'accepted') return names.length > 0 && { channel: names[0] }
  const end = names.indexOf('')
  return end < 0 ? { to: names } : { to: names.slice(0, end), people: names.slice(end + 1) }
}
