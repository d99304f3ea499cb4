import { join } from 'node:path'

const KEPT_FILES = 4

export function currentFile(state: string): string {
  return join(state, 'journal.jsonl')
}

/** Oldest first. The first holds what older files said of events that are still open. */
export function journalFiles(state: string): [string, ...string[]] {
  const rotated = Array.from({ length: KEPT_FILES }, (_, age) =>
    join(state, `journal.${age + 1}.jsonl`),
  )
  return [join(state, 'journal.open.jsonl'), ...rotated.reverse(), currentFile(state)]
}
