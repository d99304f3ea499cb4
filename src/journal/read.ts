import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs'
import { errorCode, HookbellError } from '../errors.ts'
import { FolderWatcher } from '../fs/folder-watcher.ts'
import { isMissing } from '../fs/read.ts'
import { type JournalEntry, parseEntry } from './entry.ts'
import { currentFile, journalFiles, openEventsFile } from './files.ts'
import { EventHistory, type EventStatus, isAccepted } from './history.ts'

const { O_RDONLY, O_NONBLOCK = 0 } = constants

/** A file of the journal, as it was when it was opened. */
interface OpenFile {
  path: string
  fd: number
  dev: number
  inode: number
  size: number
}

const FIRST_BYTES = 128 * 1024

const GROWTH = 4

const BEFORE_BYTES = 64

/** How far a journal was read. */
export interface Position {
  inode: number
  offset: number
  /** The bytes before it, to recognize another file that has the same inode number. */
  before: string
}

interface Visitor {
  line(line: string): void
  /** Called before the lines of the next file. */
  nextFile?(): void
  /** Called if the position is in none of the files: all of them are read. */
  restart?(): void
}

/** Polling finds changes that the system does not report, as on some mounts. */
const LOOK_EVERY_MS = 1000

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
 * The lines of an open file. Closes it, but not before a read that is in flight has ended. Of a line that is longer
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

/**
 * @returns undefined if there is no such file
 * @throws if it exists and cannot be read: a person must not be told that the journal is empty
 */
export function openFile(path: string): OpenFile | undefined {
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  const stat = fstatSync(fd)
  if (stat.isFile()) return { path, fd, dev: stat.dev, inode: stat.ino, size: stat.size }
  closeSync(fd)
  throw notAFile(path)
}

/**
 * Opens files, given oldest first. The newest is opened before the others, so that a rotation meanwhile cannot hide one.
 * One that such a rotation renames is returned once.
 * @throws as `openFile`; none is left open then
 */
function openFiles(paths: readonly string[]): OpenFile[] {
  const files = new Map<string, OpenFile>()
  try {
    for (const path of paths.toReversed()) {
      const file = openFile(path)
      if (!file) continue
      const key = `${file.dev} ${file.inode}`
      if (files.has(key)) closeSync(file.fd)
      else files.set(key, file)
    }
  } catch (error) {
    closeFiles(files.values())
    throw error
  }
  return [...files.values()].reverse()
}

function closeFiles(files: Iterable<OpenFile>) {
  for (const { fd } of files) closeSync(fd)
}

/** A folder, a pipe or the like in the place of a file of the journal. */
function notAFile(path: string): HookbellError {
  return new HookbellError('E_SPOOL', `${path} is not a regular file`, { hint: 'Move it away' })
}

function openIfThere(path: string): number | undefined {
  if (isMissing(path)) return undefined
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The status of each event whose id is meant. Lines about others are not parsed. */
export function readWhole(stateDir: string, isMeant: (id: string) => boolean): EventHistory {
  const files = openFiles(journalFiles(stateDir))
  try {
    return readFrom(files, 0, isMeant)
  } finally {
    closeFiles(files)
  }
}

/** The status of some events of which the journal has the acceptance. Reads no more of its end than that takes. */
export function readBack(stateDir: string, wanted: readonly EventStatus[]): EventHistory {
  if (wanted.length === 0) return new EventHistory()
  const ids = new Set(wanted.map(({ id }) => id))
  const files = openFiles(journalFiles(stateDir))
  try {
    const total = files.reduce((sum, { size }) => sum + size, 0)
    for (let bytes = FIRST_BYTES; ; bytes *= GROWTH) {
      const history = readFrom(files, Math.max(0, total - bytes), (id) => ids.has(id))
      const isFound = wanted.every((event) => isWhole(history.byId.get(event.id), event))
      if (isFound || bytes >= total) return history
    }
  } finally {
    closeFiles(files)
  }
}

/** A first attempt may be recorded before the acceptance. */
function isWhole(found: EventStatus | undefined, { channels }: EventStatus): boolean {
  return (
    found !== undefined &&
    isAccepted(found) &&
    Object.keys(channels).every((name) => found.channels[name])
  )
}

/** @param skip how many of the first bytes are not read */
function readFrom(
  files: readonly OpenFile[],
  skip: number,
  isMeant: (id: string) => boolean,
): EventHistory {
  const history = new EventHistory()
  const visit = (line: string) => {
    if (!isMeant(idIn(line))) return
    const entry = parseEntry(line)
    if (entry && isMeant(entry.id)) history.add(entry)
  }
  let start = -skip
  for (const file of files) {
    if (start + file.size > 0) visit(visitLines(file, Math.max(0, -start), visit))
    start += file.size
  }
  return history
}

/** Reads what the journal has gained since a position, also across rotations. */
export class JournalReader {
  readonly #stateDir: string
  #position: Position | undefined
  /** The newest file when it was read last. */
  #stamp: string | undefined

  /** @param position where another reader has ended. Absent: the start of the journal */
  constructor(stateDir: string, position?: Position) {
    this.#stateDir = stateDir
    this.#position = position
  }

  /** Behind the last line that was read. */
  get position(): Position | undefined {
    return this.#position
  }

  /** Passes over everything that the journal has by now. */
  skip() {
    withFiles(journalFiles(this.#stateDir), (files) => {
      const last = files.at(-1)
      if (last) this.#position = positionIn(last, last.size)
    })
  }

  /** @throws if a file exists and cannot be read: a person must not be told that the journal is empty */
  read(visitor: Visitor) {
    const stamp = stampOf(currentFile(this.#stateDir))
    if (stamp !== undefined && stamp === this.#stamp) return
    this.#stamp = undefined
    this.#readNew(visitor)
    this.#stamp = stamp
  }

  #readNew(visitor: Visitor) {
    // Mostly only the newest file has grown.
    const newest = currentFile(this.#stateDir)
    if (this.#position && withFiles([newest], (files) => this.#readFrom(files, visitor))) return
    withFiles(journalFiles(this.#stateDir), (files) => {
      if (this.#readFrom(files, visitor)) return
      if (this.#position) visitor.restart?.()
      this.#readFiles(files, 0, visitor)
    })
  }

  /** @returns false if the position is in none of the files */
  #readFrom(files: readonly OpenFile[], visitor: Visitor): boolean {
    const { offset = 0 } = this.#position ?? {}
    const index = files.findIndex((file) => isIn(file, this.#position))
    if (index >= 0) this.#readFiles(files.slice(index), offset, visitor)
    return index >= 0
  }

  #readFiles(files: readonly OpenFile[], offset: number, visitor: Visitor) {
    for (const [index, file] of files.entries()) {
      // What is kept of removed files belongs to the oldest one that is left.
      if (index > 0 && files[index - 1]?.path !== openEventsFile(this.#stateDir))
        visitor.nextFile?.()
      this.#readFile(file, index === 0 ? offset : 0, index === files.length - 1, visitor)
    }
  }

  #readFile(file: OpenFile, from: number, isNewest: boolean, { line: visit }: Visitor) {
    let offset = from
    try {
      const rest = visitLines(file, from, (line, end) => {
        offset = end
        visit(line)
      })
      if (rest === '' || isNewest) return
      offset = file.size
      visit(rest)
    } finally {
      this.#position = positionIn(file, offset)
    }
  }
}

/** Changes with each change of the file. Only the newest one grows. */
function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.ino} ${stat.size} ${stat.ctimeMs}`
}

function withFiles<Result>(
  paths: readonly string[],
  work: (files: readonly OpenFile[]) => Result,
): Result {
  const files = openFiles(paths)
  try {
    return work(files)
  } finally {
    closeFiles(files)
  }
}

function isIn(file: OpenFile, position: Position | undefined): boolean {
  if (file.inode !== position?.inode || file.size < position.offset) return false
  return positionIn(file, position.offset).before === position.before
}

function positionIn({ fd, inode }: OpenFile, offset: number): Position {
  const bytes = Buffer.alloc(Math.min(BEFORE_BYTES, offset))
  readSync(fd, bytes, 0, bytes.length, offset - bytes.length)
  return { inode, offset, before: bytes.toString('latin1') }
}

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
