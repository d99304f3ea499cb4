import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { type JournalEntry, parseEntry } from './entry.ts'
import { journalFiles } from './files.ts'
import { notAFile } from './open-file.ts'

// Opening a pipe would wait for somebody who writes to it.
const { O_RDONLY, O_NONBLOCK = 0 } = constants

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
  // All files are opened first, the newest before the others, so that a rotation meanwhile cannot hide one.
  const files = await openAll([...paths].reverse())
  try {
    for (const file of files.reverse()) yield* linesOf(file)
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
}

/** The id in a line that is not parsed. It is found because each entry begins with its time and id. */
export function idIn(line: string): string {
  return /"id":"([^"\\]*)"/.exec(line)?.[1] ?? ''
}

async function openAll(paths: readonly string[]): Promise<FileHandle[]> {
  const files = new Map<string, FileHandle>()
  for (const path of paths) {
    const file = await open(path, O_RDONLY | O_NONBLOCK).catch(() => undefined)
    if (!file) continue
    const stat = await file.stat()
    if (!stat.isFile()) {
      await Promise.all([file, ...files.values()].map((one) => one.close()))
      throw notAFile(path)
    }
    const { dev, ino } = stat
    if (files.has(`${dev} ${ino}`)) await file.close()
    else files.set(`${dev} ${ino}`, file)
  }
  return [...files.values()]
}

/** Not node:readline, which also breaks lines at U+2028, U+2029 and a bare carriage return. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of file.createReadStream({
    autoClose: false,
    highWaterMark: 256 * 1024,
  })) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer)
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.toString('utf8', 0, end)
      bytes = bytes.subarray(end + 1)
    }
    rest = bytes
  }
  if (rest.length > 0) yield rest.toString()
}
