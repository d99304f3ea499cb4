import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { FolderWatcher } from '../fs/folder-watcher.ts'
import { type JournalEntry, parseEntry } from './entry.ts'
import { currentFile, journalFiles } from './files.ts'
import { LONGEST_LINE } from './stretches.ts'

const CHUNK_BYTES = 64 * 1024
/** Polling finds changes that the system does not report, as on some mounts. */
const LOOK_EVERY_MS = 1000

interface Tail {
  fd: number
  inode: number
  offset: number
  /** The beginning of a line that is not complete yet. */
  rest: Buffer
}

/** Reads the entries that are added to the journal after its construction, also across rotations. */
export class JournalFollower {
  readonly #stateDir: string
  #tail: Tail | undefined

  constructor(stateDir: string) {
    this.#stateDir = stateDir
    this.#tail = openTail(currentFile(stateDir), 'end')
  }

  /** The entries written since the last call. */
  read(): JournalEntry[] {
    const lines: string[] = []
    if (this.#tail) readOn(this.#tail, lines)
    for (const next of this.#later()) {
      // Once more: its last lines may have been written after the first read and before the rotation.
      if (this.#tail) readOn(this.#tail, lines)
      this.close()
      this.#tail = next
      readOn(next, lines)
    }
    return lines.map(parseEntry).filter((entry) => entry !== undefined)
  }

  close() {
    if (this.#tail) closeSync(this.#tail.fd)
    this.#tail = undefined
  }

  /** The files after the one that is open, oldest first. There are several after more than one rotation. */
  #later(): Tail[] {
    const known = this.#tail?.inode
    const current = statSync(currentFile(this.#stateDir), { throwIfNoEntry: false })
    if (!current || current.ino === known) return []
    const [, ...files] = journalFiles(this.#stateDir)
    const tails: Tail[] = []
    // The newest is opened first, so that a rotation meanwhile cannot hide one.
    for (const path of files.reverse()) {
      const tail = openTail(path, 'start')
      if (!tail) continue
      if (tails.some(({ inode }) => inode === tail.inode)) closeSync(tail.fd)
      else tails.unshift(tail)
    }
    // If the known file is gone, all files left are read. If there was none at the start, only the current one is new.
    const at =
      known === undefined ? tails.length - 2 : tails.map(({ inode }) => inode).lastIndexOf(known)
    for (const { fd } of tails.slice(0, at + 1)) closeSync(fd)
    return tails.slice(Math.max(0, at + 1))
  }
}

/** Calls back with new journal entries until the signal is aborted. */
export async function followJournal(
  stateDir: string,
  onEntries: (entries: readonly JournalEntry[]) => void,
  signal: AbortSignal,
  follower = new JournalFollower(stateDir),
): Promise<void> {
  const look = () => {
    const entries = follower.read()
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
  follower.close()
}

function openTail(path: string, from: 'start' | 'end'): Tail | undefined {
  try {
    const fd = openSync(path, 'r')
    const { ino, size } = fstatSync(fd)
    return { fd, inode: ino, offset: from === 'end' ? size : 0, rest: Buffer.alloc(0) }
  } catch {
    // Nothing is recorded yet, or the file was rotated just now.
    return undefined
  }
}

function readOn(tail: Tail, lines: string[]) {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (;;) {
    const count = readSync(tail.fd, chunk, 0, chunk.length, tail.offset)
    if (count === 0) return
    tail.offset += count
    let bytes = Buffer.concat([tail.rest, chunk.subarray(0, count)])
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      lines.push(bytes.toString('utf8', 0, end))
      bytes = bytes.subarray(end + 1)
    }
    tail.rest = bytes.length < LONGEST_LINE ? Buffer.from(bytes) : Buffer.alloc(0)
  }
}
