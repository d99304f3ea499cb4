import { FolderWatcher } from '../fs/folder-watcher.ts'
import { type JournalEntry, parseEntry } from './entry.ts'
import type { JournalReader } from './reader.ts'

/** Polling finds changes that the system does not report, as on some mounts. */
const LOOK_EVERY_MS = 1000

/** Calls back with what the reader finds in the journal until the signal is aborted. */
export async function followJournal(
  stateDir: string,
  reader: JournalReader,
  onEntries: (entries: readonly JournalEntry[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const look = () => {
    const entries: JournalEntry[] = []
    reader.read({
      line: (line) => {
        const entry = parseEntry(line)
        if (entry) entries.push(entry)
      },
    })
    if (entries.length > 0) onEntries(entries)
  }
  const watcher = new FolderWatcher([stateDir], look)
  const timer = setInterval(look, LOOK_EVERY_MS)
  look()
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  clearInterval(timer)
  watcher.close()
}
