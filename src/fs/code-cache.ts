import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

// What V8 made of a program, kept beside it: to compile the worker takes longer than to deliver an event. V8 itself
// checks version, flags and the length of the source, and then runs what it is given. So what others may have written
// is not used, and neither is what does not belong to this very source or was damaged: the file has the source in it,
// and the code twice. To compare takes next to no time, while SHA-256 takes as long as to compile a small program.

const HEADER = Buffer.from(`${process.version} ${process.arch}\n`)

/** @returns undefined where there is none that may be used */
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

/** Best effort: without it the next start compiles once more. Only into a folder of this user. */
export function writeCodeCache(path: string, source: Buffer, code: Buffer) {
  const temporary = `${path}.${process.pid}`
  try {
    if (!isOwnFolder(dirname(path))) return
    rmSync(temporary, { force: true })
    const file = openSync(temporary, 'wx', 0o600)
    try {
      for (const part of [HEADER, source, code, code]) writeSync(file, part)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch {
    rmSync(temporary, { force: true })
  }
}

function readOwn(path: string): Buffer | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
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

function isOwnFolder(path: string): boolean {
  const { uid, mode } = statSync(path)
  if (process.platform === 'win32') return true
  return uid === process.getuid?.() && (mode & 0o022) === 0
}

/** As the front door asks of the worker itself. */
function isOurs(stats: Stats): boolean {
  const uid = process.getuid?.() ?? stats.uid
  const isOwn = stats.uid === uid || stats.uid === 0
  const isClosed = process.platform === 'win32' || (stats.mode & 0o022) === 0
  return stats.isFile() && isOwn && isClosed
}
