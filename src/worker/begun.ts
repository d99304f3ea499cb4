import { EventHistory, type EventStatus } from '../journal/history.ts'
import { readJournalOf } from '../journal/read.ts'

/** The journal's status of events that an earlier worker began, so that no channel is told twice. */
export async function readBegun(
  stateDir: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EventStatus>> {
  const history = new EventHistory()
  try {
    for await (const entry of readJournalOf(stateDir, new Set(ids))) history.add(entry)
  } catch {
    // Unreadable journal: a message may go out twice, which is better than not at all.
  }
  return history.byId
}
