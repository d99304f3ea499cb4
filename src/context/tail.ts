import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'
import { errorCode } from '../errors.ts'

interface Tail {
  text: string
  /** Whether that is the whole file. */
  isAll: boolean
  /** Whether it will never be read, as opposed to not being there yet. */
  isRefused: boolean
}

/**
 * The last bytes of a transcript, from the start of a line. The path comes from a payload, so it is read only if
 * it is a regular file of this user under one of the client's own folders.
 * @returns no text where any of that does not hold
 */
export async function readTail(
  path: string,
  roots: readonly string[],
  maxBytes: number,
): Promise<Tail> {
  let file: FileHandle | undefined
  try {
    file = await openOwn(path, roots)
  } catch (error) {
    return { text: '', isAll: true, isRefused: errorCode(error) !== 'ENOENT' }
  }
  if (!file) return { text: '', isAll: true, isRefused: true }
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - maxBytes)
    const bytes = Buffer.alloc(size - start)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    const read = bytes.subarray(0, bytesRead)
    const whole = start > 0 ? read.subarray(read.indexOf(10) + 1) : read
    return { text: whole.toString('utf8'), isAll: start === 0, isRefused: false }
  } catch {
    return { text: '', isAll: true, isRefused: true }
  } finally {
    await file.close()
  }
}

/** @returns undefined where it is not ours to read */
export async function openOwn(
  path: string,
  roots: readonly string[],
): Promise<FileHandle | undefined> {
  const real = await realpath(expandHome(path))
  const realRoots = await Promise.all(
    roots.map((root) => realpath(expandHome(root)).catch(() => '')),
  )
  if (!realRoots.some((root) => root && real.startsWith(root + sep))) return undefined
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile() && stat.uid === (process.getuid?.() ?? stat.uid)) return file
  await file.close()
  return undefined
}

function expandHome(path: string): string {
  const expanded = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  if (!isAbsolute(expanded)) throw new Error('not an absolute path')
  return expanded
}
