import { join } from 'node:path'

const KEPT_FILES = 4

export function currentFile(state: string): string {
  return `${pathWithoutEnd(state)}.jsonl`
}

/** All journal files, oldest first. The first keeps the entries of removed files about events that were still open. */
export function journalFiles(state: string): [string, ...string[]] {
  const path = pathWithoutEnd(state)
  const rotated = Array.from({ length: KEPT_FILES }, (_, age) => `${path}.${age + 1}.jsonl`)
  return [`${path}.open.jsonl`, ...rotated.reverse(), `${path}.jsonl`]
}

function pathWithoutEnd(state: string): string {
  return join(state, 'journal')
}
