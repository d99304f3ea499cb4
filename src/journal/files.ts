import { join } from 'node:path'

const KEPT_FILES = 4

export function currentFile(state: string): string {
  return join(state, 'journal.jsonl')
}

/** All journal files, oldest first. The first keeps the entries of removed files about events that were still open. */
export function journalFiles(state: string): [string, ...string[]] {
  const rotated = Array.from({ length: KEPT_FILES }, (_, age) =>
    join(state, `journal.${age + 1}.jsonl`),
  )
  return [join(state, 'journal.open.jsonl'), ...rotated.reverse(), currentFile(state)]
}
