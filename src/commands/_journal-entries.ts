import type { JournalEntry } from '../journal/entry.ts'
import { readJournal } from '../journal/read.ts'

/** All entries in the journals of some state folders, oldest first. */
export async function readEntries(folders: readonly string[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (const folder of folders) {
    for await (const entry of readJournal(folder)) entries.push(entry)
  }
  if (folders.length > 1) entries.sort((one, other) => one.at - other.at)
  return entries
}
