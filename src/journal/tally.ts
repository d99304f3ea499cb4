import type { JournalEntry } from './entry.ts'
import type { FileTally, Path } from './file-tally.ts'
import { applyEntry, type EventStatus, emptyStatus } from './history.ts'

/** An event as far as it is counted. */
export interface TalliedEvent {
  id: string
  /** Unix ms. */
  acceptedAt: number
  /** Without texts and times. Shared by all events to which the same happened. */
  status: Pick<EventStatus, 'outcome' | 'channels' | 'to'>
}

interface Progress {
  status: EventStatus
  after: Map<Path, Progress>
}

interface Counted {
  id: string
  acceptedAt: number
  progress: Progress
}

/** Folds the journal as EventHistory does, but without the texts and with little memory. */
export class Tally {
  readonly #start: Progress = { status: emptyStatus('', 0), after: new Map() }
  readonly #events = new Map<string, Counted>()

  has(id: string): boolean {
    return this.#events.has(id)
  }

  /** To be called for the files of the journal in their order. */
  add({ records }: FileTally) {
    for (const { id, at, path } of records) {
      const { steps } = path
      const event = this.#events.get(id)
      if (!event) {
        if (steps.at(-1) === 'dropped') continue
        const progress = advance(this.#start, path)
        this.#events.set(id, { id, acceptedAt: at, progress })
        continue
      }
      if (steps.some((step) => typeOf(step) === 'accepted')) event.acceptedAt = at
      event.progress = advance(event.progress, path)
      if (steps.at(-1) === 'dropped') this.#events.delete(id)
    }
  }

  /** An event that is accepted, but that no worker has looked at. */
  expect(id: string, acceptedAt: number) {
    if (!this.has(id)) this.#events.set(id, { id, acceptedAt, progress: this.#start })
  }

  /** Oldest first. */
  events(): TalliedEvent[] {
    return [...this.#events.values()]
      .sort((a, b) => a.acceptedAt - b.acceptedAt)
      .map(({ id, acceptedAt, progress: { status } }) => ({ id, acceptedAt, status }))
  }
}

/** Memorised, since the same happens to most events. */
function advance(progress: Progress, path: Path): Progress {
  const known = progress.after.get(path)
  if (known) return known
  const status = { ...progress.status, channels: { ...progress.status.channels } }
  for (const step of path.steps) applyEntry(status, entryOf(step))
  const next = { status, after: new Map() }
  progress.after.set(path, next)
  return next
}

function typeOf(step: string): string {
  return step.split('\n', 1)[0] ?? ''
}

/** An entry that says nothing but what is counted. */
function entryOf(step: string): JournalEntry {
  const [type, ...names] = step.split('\n')
  const channels = type === 'accepted' ? { to: names } : names.length > 0 && { channel: names[0] }
  return { at: 0, id: '', type, reason: '', answer: '', ...channels } as JournalEntry
}
