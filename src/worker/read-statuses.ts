import { EventHistory, type EventStatus } from '../journal/history.ts'
import { readJournalOf } from '../journal/read.ts'

type Statuses = ReadonlyMap<string, EventStatus>

/** A reading of the journal: the ids that are asked for, and the promise of its result. */
interface Reading {
  ids: Set<string>
  result: Promise<Statuses>
}

/** By state folder: the reading that has not begun. New calls join it. */
const next = new Map<string, Reading>()
/** By state folder: the last reading, in flight or ended. */
const last = new Map<string, Promise<unknown>>()

/**
 * The journal's status of events that an earlier worker began, so that no channel gets an event twice. One reading at a
 * time serves all who asked meanwhile: a full journal takes a third of a second, and a burst asks hundreds of times.
 */
export async function readStatuses(stateDir: string, ids: readonly string[]): Promise<Statuses> {
  const reading = next.get(stateDir) ?? plan(stateDir)
  for (const id of ids) reading.ids.add(id)
  const all = await reading.result
  const own = new Set(ids)
  return new Map([...all].filter(([id]) => own.has(id)))
}

function plan(stateDir: string): Reading {
  const ids = new Set<string>()
  const result = (last.get(stateDir) ?? Promise.resolve()).then(() => {
    next.delete(stateDir)
    return readNow(stateDir, ids)
  })
  const reading = { ids, result }
  next.set(stateDir, reading)
  last.set(stateDir, result)
  void result.then(() => last.get(stateDir) === result && last.delete(stateDir))
  return reading
}

/** Never rejects. */
async function readNow(stateDir: string, ids: ReadonlySet<string>): Promise<Statuses> {
  const history = new EventHistory()
  try {
    for await (const entry of readJournalOf(stateDir, ids)) history.add(entry)
  } catch {
    // Unreadable journal: a message may go out twice, which is better than not at all.
  }
  return history.byId
}
