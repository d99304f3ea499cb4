import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, HookbellError } from '../errors.ts'
import { parseEntry } from './entry.ts'
import { FileTally } from './file-tally.ts'
import { journalFiles } from './files.ts'
import { EventHistory } from './history.ts'
import { decodeBytes, outlineLine } from './outline.ts'
import { readSavedTally, savedPath, saveTally } from './saved-tally.ts'
import { Tally } from './tally.ts'

const CHUNK_BYTES = 1024 * 1024
/** What is read in no time is read again. */
const SAVE_AFTER_BYTES = 512 * 1024
const BEFORE_BYTES = 64
const { O_RDONLY, O_NONBLOCK = 0 } = constants
const ID = /"id":"([^"\\]*)"/

interface OpenFile {
  fd: number
  inode: number
  size: number
}

/**
 * The journal as it was when it was opened, for a command that reads it and ends: with synchronous calls, since the
 * promises of node:fs cost such a command a tenth of its time.
 */
export class OpenJournal {
  readonly #stateDir: string
  readonly #saveAfterBytes: number
  readonly #files: OpenFile[] = []
  readonly #tallies = new Map<OpenFile, FileTally>()

  /** @throws where a file is there and cannot be read: a person must not be told that there is nothing */
  constructor(stateDir: string, saveAfterBytes = SAVE_AFTER_BYTES) {
    this.#stateDir = stateDir
    this.#saveAfterBytes = saveAfterBytes
    try {
      this.#openAll(journalFiles(stateDir))
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** What became of all events, without the texts. What earlier calls have counted is not read again. */
  tally(): Tally {
    const tally = new Tally()
    for (const file of this.#files) {
      const ofFile = tallyOf(file, savedPath(this.#stateDir, file.inode), this.#saveAfterBytes)
      this.#tallies.set(file, ofFile)
      tally.add(ofFile)
    }
    this.#forgetOthers()
    return tally
  }

  /** Some events in full; of all others not even the line is parsed. To be called after `tally`. */
  read(ids: ReadonlySet<string>): EventHistory {
    const history = new EventHistory()
    for (const file of this.#files) {
      if (!this.#tallies.get(file)?.records.some(({ id }) => ids.has(id))) continue
      const add = (line: string) => {
        if (!ids.has(ID.exec(line)?.[1] ?? '')) return
        const entry = parseEntry(decodeBytes(line))
        if (entry && ids.has(entry.id)) history.add(entry)
      }
      add(eachLine(file, 0, (text, start, end) => add(text.slice(start, end))).rest)
    }
    return history
  }

  close() {
    for (const { fd } of this.#files.splice(0)) closeSync(fd)
  }

  /** The newest before the others: a rotation meanwhile must not hide one. */
  #openAll(paths: readonly string[]) {
    const seen = new Set<string>()
    for (const path of [...paths].reverse()) {
      const fd = openIfThere(path)
      if (fd === undefined) continue
      const stat = fstatSync(fd)
      const key = `${stat.dev} ${stat.ino}`
      if (seen.has(key)) {
        closeSync(fd)
        continue
      }
      seen.add(key)
      this.#files.unshift({ fd, inode: stat.ino, size: stat.size })
      if (!stat.isFile()) throw new HookbellError('E_SPOOL', `${path} is not a regular file`)
    }
  }

  /** Of files that were rotated away. */
  #forgetOthers() {
    const folder = join(this.#stateDir, 'cache')
    const known = new Set(this.#files.map(({ inode }) => `journal-${inode}.json`))
    for (const name of namesIn(folder)) {
      if (!/^journal-\d+\.json$/.test(name) || known.has(name)) continue
      rmSync(join(folder, name), { force: true })
    }
  }
}

/** From what was saved, and what the file has gained since. */
function tallyOf(file: OpenFile, path: string, saveAfterBytes: number): FileTally {
  const saved = readSavedTally(path)
  const isOfThis = saved !== undefined && bytesBefore(file, saved.offset) === saved.before
  const tally = isOfThis ? saved.tally : new FileTally()
  const from = isOfThis ? saved.offset : 0
  const add = (text: string, start: number, end: number) => {
    const outline = outlineLine(text, start, end)
    if (outline) tally.add(outline)
  }
  const { offset, rest } = eachLine(file, from, add)
  if (offset - from > saveAfterBytes) {
    saveTally(path, { offset, before: bytesBefore(file, offset) ?? '', tally })
  }
  // A line that is being written, or that a crash cut.
  if (rest !== '') add(`${rest}\n`, 0, rest.length)
  return tally
}

/** @returns undefined where the file is not so long */
function bytesBefore({ fd, size }: OpenFile, offset: number): string | undefined {
  if (offset > size) return undefined
  const bytes = Buffer.alloc(Math.min(BEFORE_BYTES, offset))
  readSync(fd, bytes, 0, bytes.length, offset - bytes.length)
  return bytes.toString('latin1')
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Visits text with one character for each byte, which costs least, and each line with where its newline is.
 * @returns what comes after the last newline, and where it begins
 */
function eachLine(
  { fd, size }: OpenFile,
  from: number,
  visit: (text: string, start: number, end: number) => void,
): { offset: number; rest: string } {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - from + 1))
  let rest = ''
  for (let position = from; ; ) {
    const bytesRead = readSync(fd, chunk, 0, chunk.length, position)
    position += bytesRead
    if (bytesRead === 0) return { offset: position - rest.length, rest }
    const text = rest + chunk.toString('latin1', 0, bytesRead)
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (end > start) visit(text, start, end)
      start = end + 1
    }
    rest = text.slice(start)
  }
}
