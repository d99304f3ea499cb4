import { createHash } from 'node:crypto'
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
  writeSync,
} from 'node:fs'

// What V8 made of a program, kept beside it: to compile the worker takes longer than to deliver an event. V8 itself
// checks version, flags and the length of the source, and then runs what it is given. So what others may have written
// is not used, and neither is what does not belong to this very source.

const DIGEST_BYTES = 32

/** @returns undefined where there is none that may be used */
export function readCodeCache(path: string, source: string): Buffer | undefined {
  const bytes = readOwn(path)
  if (!bytes || bytes.length <= DIGEST_BYTES) return undefined
  const code = bytes.subarray(DIGEST_BYTES)
  return digestOf(source, code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : undefined
}

/** Best effort: without it the next start compiles once more. */
export function writeCodeCache(path: string, source: string, code: Buffer) {
  const temporary = `${path}.${process.pid}`
  try {
    rmSync(temporary, { force: true })
    const file = openSync(temporary, 'wx', 0o600)
    try {
      writeSync(file, digestOf(source, code))
      writeSync(file, code)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch {
    rmSync(temporary, { force: true })
  }
}

function digestOf(source: string, code: Buffer): Buffer {
  const { version, arch } = process
  return createHash('sha256').update(`${version} ${arch} ${source}\0`).update(code).digest()
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

/** As the front door asks of the worker itself. */
function isOurs(stats: Stats): boolean {
  const uid = process.getuid?.() ?? stats.uid
  const isOwn = stats.uid === uid || stats.uid === 0
  const isClosed = process.platform === 'win32' || (stats.mode & 0o022) === 0
  return stats.isFile() && isOwn && isClosed
}
