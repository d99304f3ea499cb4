import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { parseSpoolFile } from './header.ts'
import { MAX_BODY_BYTES } from './layout.ts'

// A shell that counts the front door's limit in KiB stores twice as much; the excess is cut off later.
const MAX_FILE_BYTES = 3 * MAX_BODY_BYTES

type SpoolFile = { bytes: Buffer; writtenAt: number } | { foreign: string }

/**
 * Reads a file from the spool without trusting it: not through a link, not a pipe that would block.
 * @throws the system error if the file cannot be read now, or no longer exists
 */
export function readSpoolFile(path: string): SpoolFile {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (!isForeign(path, error)) throw error
    return { foreign: `cannot be opened: ${(error as Error).message}` }
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) return { foreign: 'not a regular file' }
    if (stat.uid !== (process.getuid?.() ?? stat.uid)) return { foreign: 'belongs to another user' }
    if (stat.size > MAX_FILE_BYTES) return { foreign: `too large: ${stat.size} bytes` }
    return { bytes: readStart(file, stat.size), writtenAt: Math.floor(stat.mtimeMs) }
  } finally {
    closeSync(file)
  }
}

/** Whether the file itself is why it cannot be opened. Other reasons may pass, such as too many open files. */
function isForeign(path: string, error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(errorCode(error) ?? '') || !lstatSync(path).isFile()
}

/** Reads up to the size seen by fstat. That is all, since nobody writes to the file any more. */
function readStart(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let end = 0
  while (end < size) {
    const read = readSync(file, bytes, end, size - end, null)
    if (read === 0) break
    end += read
  }
  return bytes.subarray(0, end)
}

/** The event in a file of the spool; undefined if the file is foreign, damaged or of a later version. */
export function storedIn(file: SpoolFile) {
  const parsed = 'bytes' in file ? parseSpoolFile(file.bytes) : undefined
  return parsed && 'writtenAt' in file ? { ...parsed, at: file.writtenAt } : undefined
}
