import { dropOldest } from '../drop-oldest.ts'
import type { JournalEntry } from './entry.ts'
import { KEPT_FILES } from './files.ts'
import type { Reducer } from './fold.ts'
import {
  applyEntry,
  type ChannelStatus,
  type EventStatus,
  emptyStatus,
  type Outcome,
  outcomes,
} from './history.ts'

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

interface Saved {
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
    const { file, events, counted, channels } = (saved ?? emptyState) as Saved
    this.#file = file
    if (!events.every(isWhole)) throw new TypeError('damaged')
    this.#events = new Map(events.map((event) => [event.id, event]))
    this.#counted = new Map(counted)
    this.#channels = new Map(channels)
    for (const event of this.#events.values()) this.#notice(event)
  }

  get state(): Saved {
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

const emptyState: Saved = { file: 0, events: [], counted: [], channels: [] }

export function noCounts(): Counts {
  return { delivered: 0, suppressed: 0, undelivered: 0, dead: 0, waiting: 0 }
}

/** Whether it may follow when the event is settled. Of an event that is not known, it says nothing. */
function isAfterwards({ type }: JournalEntry): boolean {
  return type === 'answered' || type === 'unanswered' || type === 'withdrawn'
}

function isWhole({ id, channels, to }: KnownEvent): boolean {
  return typeof id === 'string' && Object(channels) === channels && Array.isArray(to)
}

/** 1 if nothing more is to be expected of the event, otherwise 0. */
function isSettled({ outcome }: EventStatus): number {
  return outcome === 'delivered' || outcome === 'suppressed' ? 1 : 0
}
