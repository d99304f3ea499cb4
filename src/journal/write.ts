import { renameSync, statSync } from 'node:fs'
import { appendLine } from '../fs/append.ts'
import { replaceFile } from '../fs/durable.ts'
import type { JournalEntry } from './entry.ts'
import { currentFile, journalFiles } from './files.ts'
import { idIn, readLines } from './read.ts'

const ROTATE_AT_BYTES = 4 * 1024 * 1024

/**
 * Resolves once the entry is on the disk; entries written at the same time share one fsync.
 * @throws the system error, also if there is no state folder: one that was removed must not come back with a late entry
 */
export async function appendEntry(state: string, entry: JournalEntry): Promise<void> {
  const line = `${JSON.stringify(entry)}\n`
  await appendLine(currentFile(state), line, { makesFolders: false })
}

/**
 * Rotates a journal file that has reached 4 MiB; only a few files are kept. Entries about events that are still open
 * are never lost. Only for the holder of the worker's lock.
 * @returns whether it rotated, so that a new file begins
 */
export async function rotateJournal(
  state: string,
  openIds: () => ReadonlySet<string>,
  limitBytes = ROTATE_AT_BYTES,
): Promise<boolean> {
  const size = statSync(currentFile(state), { throwIfNoEntry: false })?.size ?? 0
  if (size < limitBytes) return false
  const [open, ...files] = journalFiles(state)
  if (statSync(files[0] ?? '', { throwIfNoEntry: false })) {
    await keepOpen(open, files[0] ?? '', openIds())
  }
  for (const [at, to] of files.slice(0, -1).entries()) {
    const from = files[at + 1] ?? ''
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to)
  }
  return true
}

async function keepOpen(open: string, oldest: string, ids: ReadonlySet<string>) {
  const kept: string[] = []
  for await (const line of readLines([open, oldest])) {
    if (ids.has(idIn(line))) kept.push(`${line}\n`)
  }
  replaceFile(open, kept.join(''))
}
