import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { appendLine } from '../spool/append.ts'
import type { Record } from './record.ts'

const ROTATE_AT_BYTES = 16 * 1024 * 1024
export const KEPT_FILES = 4

export function journalFiles(state: string): string[] {
  const rotated = Array.from({ length: KEPT_FILES }, (_, age) =>
    join(state, `journal.${age + 1}.jsonl`),
  )
  return [...rotated.reverse(), join(state, 'journal.jsonl')]
}

/** Resolves once the record is on disk; records written at the same time share one fsync. */
export async function record(state: string, entry: Record): Promise<void> {
  await appendLine(join(state, 'journal.jsonl'), `${JSON.stringify(entry)}\n`)
}

/** Keeps the journal at a few files of 16 MiB. Called by a worker that starts or has nothing to do. */
export function rotateJournal(state: string) {
  const [...files] = journalFiles(state).reverse()
  const size = statSync(files[0] ?? '', { throwIfNoEntry: false })?.size ?? 0
  if (size < ROTATE_AT_BYTES) return
  for (let age = files.length - 1; age > 0; age -= 1) {
    const [from, to] = [files[age - 1] ?? '', files[age] ?? '']
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to)
  }
}
