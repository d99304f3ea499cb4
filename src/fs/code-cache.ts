import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isPrivateGroup } from './ownership.ts'

// V8's compiled code of a program, cached beside it: compiling the worker takes longer than delivering an event. V8
// checks only version, flags and source length before it runs the code. So the cache must not be writable by others,
// and it contains the source and the code twice, to detect another source and damage. Comparing takes almost no time,
// while SHA-256 takes as long as compiling a small program.

const HEADER = Buffer.from(`${process.version} ${process.arch}\n`)

/** @returns undefined if there is no usable cache */
export function readCodeCache(path: string, source: Buffer): Buffer | undefined {
  const bytes = readOwn(path)
  const start = HEADER.length + source.length
  if (!bytes || bytes.length <= start) return undefined
  const code = bytes.subarray(start)
  const half = code.length / 2
  const isWhole =
    bytes.subarray(0, HEADER.length).equals(HEADER) &&
    bytes.subarray(HEADER.length, start).equals(source) &&
    code.subarray(0, half).equals(code.subarray(half))
  return isWhole ? code.subarray(0, half) : undefined
}

/**
 * Best effort: if it fails, the next start compiles again. Writes only into a folder of this user.
 * @param makeCode called only if a file can be written there, because it takes some milliseconds
 */
export function writeCodeCache(path: string, source: Buffer, makeCode: () => Buffer) {
  // One name for all processes, so that only one file stays of those that are killed. If two write at once, the cache may
  // be incomplete for a moment, which is detected.
  const temporary = `${path}.new`
  try {
    if (!isOwnFolder(dirname(path))) return
    remove(temporary)
    const file = openSync(temporary, 'wx', 0o600)
    try {
      const code = makeCode()
      // Unlike writeSync, it writes all or throws.
      for (const part of [HEADER, source, code, code]) writeFileSync(file, part)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch {
    remove(temporary)
  }
}

function remove(path: string) {
  try {
    unlinkSync(path)
  } catch {
    // It does not exist, or nothing can be changed here: Yarn can leave a package in its archive.
  }
}

function readOwn(path: string): Buffer | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    // Whoever can change the folder could put a link to another file of this user there.
    if (!isOwnFolder(dirname(path), { orRoots: true })) return undefined
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      return isOurs(fstatSync(file)) ? readFileSync(file) : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** Whether it belongs to this user, and nobody else can change it. */
function isOwnFolder(path: string, { orRoots = false } = {}): boolean {
  if (process.platform === 'win32') return true
  const { uid, gid, mode } = statSync(path)
  const isOwn = uid === process.getuid?.() || (orRoots && uid === 0)
  const isShared = (mode & 0o020) !== 0 && !isPrivateGroup(gid, uid)
  return isOwn && (mode & 0o002) === 0 && !isShared
}

/** The same condition as the front door has for the worker itself. */
function isOurs(stats: Stats): boolean {
  const uid = process.getuid?.() ?? stats.uid
  const isOwn = stats.uid === uid || stats.uid === 0
  const isClosed = process.platform === 'win32' || (stats.mode & 0o022) === 0
  return stats.isFile() && isOwn && isClosed
}
