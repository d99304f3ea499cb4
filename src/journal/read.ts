import { createReadStream, readSync } from 'node:fs'
import { type JournalEntry, parseEntry } from './entry.ts'
import { journalFiles } from './files.ts'
import { closeFiles, type OpenFile, openFiles } from './open-file.ts'

/** No entry is that long: a longer line is damage, such as the zeros of blocks that a power cut lost. */
export const LONGEST_LINE = 4 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

/** All entries, oldest first, one at a time. Lines that a crash cut short are skipped. */
export async function* readJournal(state: string): AsyncGenerator<JournalEntry> {
  for await (const line of readLines(journalFiles(state))) {
    const entry = parseEntry(line)
    if (entry) yield entry
  }
}

/** The entries of some events only. Lines about other events are not parsed. */
export async function* readJournalOf(
  state: string,
  ids: ReadonlySet<string>,
): AsyncGenerator<JournalEntry> {
  for await (const line of readLines(journalFiles(state))) {
    if (!ids.has(idIn(line))) continue
    const entry = parseEntry(line)
    if (entry && ids.has(entry.id)) yield entry
  }
}

/** The lines of some files, one file after the other, as the files were when the first line was requested. */
export async function* readLines(paths: readonly string[]): AsyncGenerator<string> {
  const files = openFiles(paths)
  try {
    for (let file = files.shift(); file; file = files.shift()) yield* linesOf(file)
  } finally {
    closeFiles(files)
  }
}

/** The id in a line that is not parsed. It is found because each entry begins with its time and id. */
export function idIn(line: string): string {
  return /"id":"([^"\\]*)"/.exec(line)?.[1] ?? ''
}

/**
 * Visits the lines of an open file from an offset on, without promises: these cost a short-lived command a tenth of its
 * time. Of a line that is longer than any entry, only the end is visited.
 * @param visit called with each whole line and the offset behind it
 * @returns a last line without its end: it is being written, or a crash cut it
 */
export function visitLines(
  { fd }: Pick<OpenFile, 'fd'>,
  from: number,
  visit: (line: string, end: number) => void,
): string {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let rest: Buffer = Buffer.alloc(0)
  let start = from
  for (;;) {
    const count = readSync(fd, chunk, 0, chunk.length, start + rest.length)
    if (count === 0) return rest.toString()
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)])
    let at = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
      const line = bytes.toString('utf8', at, end)
      at = end + 1
      visit(line, start + at)
    }
    if (bytes.length - at >= LONGEST_LINE) at = bytes.length
    start += at
    rest = bytes.subarray(at)
  }
}

/**
 * The lines of an open file. Closes it, but not before a read that is under way has ended. Of a line that is longer
 * than any entry, only the end is returned. Not node:readline, which also breaks lines at U+2028, U+2029 and a bare
 * carriage return.
 */
async function* linesOf({ fd }: OpenFile): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream('', { fd, highWaterMark: CHUNK_BYTES })) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer)
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.toString('utf8', 0, end)
      bytes = bytes.subarray(end + 1)
    }
    rest = bytes.length < LONGEST_LINE ? bytes : Buffer.alloc(0)
  }
  if (rest.length > 0) yield rest.toString()
}
