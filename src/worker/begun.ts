import { EventHistory, type EventStatus } from '../journal/history.ts'
import { readJournalOf } from '../journal/read.ts'

/** What the journal knows of events whose worker ended, so that a channel that was told is not told again. */
export async function readBegun(
  stateDir: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EventStatus>> {
  const history = new EventHistory()
  try {
    for await (const entry of readJournalOf(stateDir, new Set(ids))) history.add(entry)
  } catch {
    // Unreadable: better told twice than never.
  }
  return history.byId
}
