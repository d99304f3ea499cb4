import { mkdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { replaceUnsynced } from '../fs/durable.ts'
import { listQuietly } from '../fs/list.ts'
import { isMissing } from '../fs/missing.ts'
import { JoinedIds } from './id-table.ts'
import type { OpenFile } from './open-file.ts'
import { pathOf, type Segment } from './segment.ts'

// Numbers are saved in the byte order of this machine.
const FIRST_BYTE = new Uint8Array(Uint16Array.of(1).buffer)[0]
const FORMAT = `hookbell-tally 3 ${FIRST_BYTE === 1 ? 'little' : 'big'}`
const BEFORE_BYTES = 64

/** How many new bytes of a file are worth saving, by how many its tally counts. */
export type SaveAfter = (countedBytes: number) => number

/**
 * A few new bytes are read again faster than a tally is written, and a large tally takes longer to write. Reading 512 KiB
 * takes as long as starting Node.js.
 */
const saveAfterBytes: SaveAfter = (counted) => Math.min(512 * 1024, Math.max(8 * 1024, counted / 8))

interface Saved {
  format: string
  /** The last bytes that were counted, to recognize another file that has the same inode number. */
  before: string
  segments: SavedSegment[]
}

interface SavedSegment {
  end: number
  ids: string
  hashes: string
  at: string
  offsets: string
  paths: string[][]
  path: string
}

/** The tallies of journal files in the cache folder, each by the inode of its file. */
export class SavedTallies {
  readonly #folder: string
  readonly #saveAfter: SaveAfter
  #hasSaved = false

  constructor(stateDir: string, saveAfter: SaveAfter = saveAfterBytes) {
    this.#folder = join(stateDir, 'cache')
    this.#saveAfter = saveAfter
  }

  /** Whether `save` was called. */
  get hasSaved(): boolean {
    return this.#hasSaved
  }

  /** Whether bytes were added beyond a counted offset that are worth saving. */
  isWorthSaving(counted: number, to: number): boolean {
    return to - counted > this.#saveAfter(counted)
  }

  /** The saved segments of a file up to some offset; none if they do not fit. Journal files are only appended to. */
  read(file: OpenFile): Segment[] {
    const path = this.#pathOf(file.inode)
    if (isMissing(path)) return []
    try {
      const { format, before, segments }: Saved = JSON.parse(readFileSync(path, 'utf8'))
      if (format !== FORMAT) return []
      let start = 0
      const restored = segments.map((saved) => {
        const segment = restore(saved, start)
        start = segment.end
        return segment
      })
      return bytesBefore(file, start) === before ? restored : []
    } catch {
      return []
    }
  }

  /** Best effort: without it the journal is read again. */
  save(file: OpenFile, segments: readonly Segment[]) {
    this.#hasSaved = true
    try {
      makeFolder(this.#folder)
      const before = bytesBefore(file, segments.at(-1)?.end ?? 0)
      const text = JSON.stringify({ format: FORMAT, before, segments: segments.map(toSaved) })
      replaceUnsynced(this.#pathOf(file.inode), text)
    } catch {
      // The next reader reads the journal again.
    }
  }

  /** Removes the tallies of all but the given files. */
  forgetAllBut(inodes: readonly number[]) {
    const known = new Set(inodes.map(nameOf))
    for (const name of listQuietly(this.#folder)) {
      if (/^journal-tally-\d+\.json$/.test(name) && !known.has(name))
        rmSync(join(this.#folder, name), { force: true })
    }
  }

  #pathOf(inode: number): string {
    return join(this.#folder, nameOf(inode))
  }
}

function nameOf(inode: number): string {
  return `journal-tally-${inode}.json`
}

/** Not recursive: a state folder that was removed meanwhile must not be created again. */
function makeFolder(path: string) {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function toSaved({ end, ids, hashes, at, offsets, paths, path }: Segment) {
  return {
    end,
    ids: ids.text,
    hashes: textOf(hashes),
    at: textOf(at),
    offsets: textOf(offsets),
    paths: paths.map(({ steps }) => steps),
    path: textOf(path),
  }
}

/** @throws an error if the data was not made by `toSaved` */
function restore(saved: SavedSegment, start: number): Segment {
  const { end } = saved
  const segment = {
    start,
    end,
    ids: new JoinedIds(saved.ids),
    hashes: new Uint32Array(bytesOf(saved.hashes)),
    at: new Float64Array(bytesOf(saved.at)),
    offsets: new Uint32Array(bytesOf(saved.offsets)),
    paths: saved.paths.map(pathOf),
    path: new Uint32Array(bytesOf(saved.path)),
  }
  const { hashes, at, offsets, paths, path } = segment
  const isWhole = [hashes, at, offsets].every(({ length }) => length === path.length)
  const isKnown = path.every((number) => number < paths.length)
  if (!isWhole || !isKnown || !Number.isSafeInteger(end) || end <= start) {
    throw new Error('not whole')
  }
  return segment
}

function textOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** Copied, because typed arrays need aligned memory. */
function bytesOf(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, 'base64')).buffer
}

/** The last bytes before an offset. @returns undefined if the file is shorter */
function bytesBefore({ fd, size }: OpenFile, offset: number): string | undefined {
  if (offset > size) return undefined
  const bytes = Buffer.alloc(Math.min(BEFORE_BYTES, offset))
  readSync(fd, bytes, 0, bytes.length, offset - bytes.length)
  return bytes.toString('latin1')
}
