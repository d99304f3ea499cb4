import { join } from 'node:path'

/** How many files are kept besides the one that is written. */
export const KEPT_FILES = 19

export function currentFile(state: string): string {
  return `${pathWithoutEnd(state)}.jsonl`
}

/** Keeps the entries of removed files about events that were still open. */
export function openEventsFile(state: string): string {
  return `${pathWithoutEnd(state)}.open.jsonl`
}

/** All journal files, oldest first. */
export function journalFiles(state: string): [string, ...string[]] {
  const path = pathWithoutEnd(state)
  const rotated = Array.from({ length: KEPT_FILES }, (_, age) => `${path}.${age + 1}.jsonl`)
  return [openEventsFile(state), ...rotated.reverse(), `${path}.jsonl`]
}

function pathWithoutEnd(state: string): string {
  return join(state, 'journal')
}
