import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import {
  describeError,
  type ErrorCode,
  errorCode,
  HookbellError,
  NOT_REGULAR,
  pathFault,
} from '../errors.ts'
import { followLink } from './links.ts'
import { howToRead } from './ownership.ts'

const { O_RDONLY, O_NONBLOCK = 0 } = constants

interface ReadOptions {
  maxBytes: number
  code?: ErrorCode
  /** Checks owner and mode of the opened file. Throws to refuse it. */
  check?: (path: string, stat: Stats) => void
  /** Whether a byte order mark is part of the text. */
  keepsMark?: boolean
}

/**
 * Reads a small text file. Never waits: a pipe, a device or a folder in its place is refused, and so is a file
 * that is larger than `maxBytes`.
 * @returns undefined if there is none
 * @throws HookbellError for anything else
 */
export function readRegular(path: string, options: ReadOptions): string | undefined {
  const { maxBytes, code = 'E_CONFIG', check, keepsMark = false } = options
  let file: number | undefined
  try {
    // Without O_NONBLOCK, opening a pipe waits until somebody writes to it.
    file = openSync(path, O_RDONLY | O_NONBLOCK)
    const stat = fstatSync(file)
    if (!stat.isFile())
      throw new HookbellError(code, `${path}: ${NOT_REGULAR.what}`, { hint: NOT_REGULAR.hint })
    check?.(path, stat)
    // Its size says nothing: the file can grow meanwhile, and files in /proc report 0.
    const bytes = readAll(file, maxBytes + 1)
    if (bytes.length > maxBytes)
      throw new HookbellError(code, `${path}: larger than ${maxBytes} bytes`, {
        hint: 'Shorten it',
      })
    const text = bytes.toString('utf8')
    return keepsMark ? text : text.replace(/^\uFEFF/, '')
  } catch (error) {
    if (error instanceof HookbellError) throw error
    if (file === undefined && errorCode(error) === 'ENOENT') {
      followLink(path, code)
      return undefined
    }
    const what = pathFault(error)?.what ?? describeError(error)
    throw new HookbellError(code, `${path}: ${what}`, { hint: hintFor(error, path), cause: error })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The same for a file that is not essential: undefined for any error. */
export function readQuietly(path: string, maxBytes = 1024 * 1024): string | undefined {
  try {
    return readRegular(path, { maxBytes })
  } catch {
    return undefined
  }
}

function readAll(file: number, limit: number): Buffer {
  const chunks: Buffer[] = []
  for (let size = 0; size < limit; ) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, limit - size))
    const read = readSync(file, chunk)
    if (read === 0) break
    chunks.push(chunk.subarray(0, read))
    size += read
  }
  // The first call of Buffer.concat in a process takes as long as reading the file.
  const [first, ...more] = chunks
  return first && more.length === 0 ? first : Buffer.concat(chunks)
}

function hintFor(error: unknown, path: string): string | undefined {
  if (errorCode(error) === 'EACCES' && process.getuid) return howToRead(path)
  return pathFault(error)?.hint
}

/** The names in a folder; none if it is missing, not a folder, or not readable by this user. */
export function listQuietly(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The names in a folder; none if it is missing or not a folder. @throws the system error if it cannot be read */
export function listIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}

/**
 * Whether nothing is at a path. For files that mostly do not exist: V8 takes as long to create the error of a failed
 * call as to ask twenty times.
 */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** Whether something is at a path that can be reached, also a link to nothing. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
