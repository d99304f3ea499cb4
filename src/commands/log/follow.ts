import { printJson, say } from '../../cli/output.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { applyEntry, type EventStatus, emptyStatus } from '../../journal/history.ts'
import { followJournal, JournalReader } from '../../journal/read.ts'
import { renderList } from './rows.ts'

/** How many events are remembered; beyond that, those without a recent entry are forgotten. */
const MAX_KNOWN = 10_000

interface FollowOptions {
  /** Reads the status of events from the journal. */
  load(ids: ReadonlySet<string>): readonly EventStatus[]
  matches(status: EventStatus): boolean
  json: boolean | undefined
}

/** Prints the existing events, then each event when its state changes, until Ctrl+C. */
export async function followLog(
  folders: readonly string[],
  read: () => readonly EventStatus[],
  { load, matches, json }: FollowOptions,
): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  // Created before the events are read, so that no entry in between is missed.
  const readers = folders.map((folder) => ({ folder, reader: new JournalReader(folder) }))
  for (const { reader } of readers) reader.skip()
  const shown = read()
  const show = (list: readonly EventStatus[]) => {
    if (json) for (const status of list) printJson(status, 0)
    else if (list.length > 0) say(renderList(list))
  }
  show(shown)
  const known = new Map(shown.map((status) => [status.id, status]))
  const tell = (entries: readonly JournalEntry[]) =>
    show(changed(entries, known, load).filter(matches))
  await Promise.all(
    readers.map(({ folder, reader }) => followJournal(folder, reader, tell, stop.signal)),
  )
}

/** The events about which there is something new to print. That an event was accepted is not. */
function changed(
  entries: readonly JournalEntry[],
  known: Map<string, EventStatus>,
  load: FollowOptions['load'],
): readonly EventStatus[] {
  const earlier = earlierEvents(entries, known)
  const touched = new Map<string, string>()
  for (const entry of entries) {
    const status = known.get(entry.id) ?? emptyStatus(entry.id, entry.at)
    if (!touched.has(entry.id)) touched.set(entry.id, stateOf(status))
    applyEntry(status, entry)
    known.delete(entry.id)
    known.set(entry.id, status)
  }
  const news = [...touched].filter(([id, before]) => isNews(known.get(id), before))
  for (const status of earlier.size > 0 ? load(earlier) : []) known.set(status.id, status)
  const told = news.flatMap(([id]) => known.get(id) ?? [])
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break
    known.delete(oldest)
  }
  return told
}

/** Events that were accepted before these entries, and of which nothing is known here. */
function earlierEvents(
  entries: readonly JournalEntry[],
  known: ReadonlyMap<string, EventStatus>,
): Set<string> {
  const ids = new Set(entries.map(({ id }) => id).filter((id) => !known.has(id)))
  for (const { id, type } of entries) if (type === 'accepted') ids.delete(id)
  return ids
}

function isNews(status: EventStatus | undefined, before: string): boolean {
  return status !== undefined && stateOf(status) !== before
}

/** Equal as long as a line about the event would say the same. */
function stateOf({ outcome, channels, reason }: EventStatus): string {
  const states = Object.entries(channels).map(([name, { state }]) => `${name} ${state}`)
  return [outcome, reason, ...states].join('\n')
}
