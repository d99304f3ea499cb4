import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { normalize } from 'node:path'
import { errorCode } from '../errors.ts'
import { expandHome } from '../fs/home.ts'
import { pathGate } from '../fs/path-gate.ts'

interface Tail {
  text: string
  /** Whether that is the whole file. */
  isAll: boolean
  /** Whether the file will never be read, as opposed to not existing yet. */
  isRefused: boolean
}

/**
 * The last bytes of a transcript, from the start of a line. The path comes from a payload, so it is read only if
 * it is a regular file of this user under one of the client's own folders. Any other path is not even accessed.
 * @returns no text where any of that does not hold, or where it takes too long
 */
export async function readTail(
  path: string,
  roots: readonly string[],
  maxBytes: number,
  gate = pathGate,
): Promise<Tail> {
  return readPart(path, roots, gate, (size) => Math.max(0, size - maxBytes), maxBytes)
}

/** The first bytes, under the same conditions; '' where they do not hold. The last line may be incomplete. */
export async function readHead(
  path: string,
  roots: readonly string[],
  maxBytes: number,
  gate = pathGate,
): Promise<string> {
  const { text } = await readPart(path, roots, gate, () => 0, maxBytes)
  return text
}

/** The size of a file that may be read under the same conditions; undefined where they do not hold. */
export async function sizeOf(
  path: string,
  roots: readonly string[],
  gate = pathGate,
): Promise<number | undefined> {
  const size = async (absolute: string, own: readonly string[]) => {
    const file = await openOwn(absolute, own)
    try {
      return (await file?.stat())?.size
    } finally {
      await file?.close()
    }
  }
  return onOwn(path, roots, gate, size, undefined)
}

async function readPart(
  path: string,
  roots: readonly string[],
  gate: typeof pathGate,
  startAt: (size: number) => number,
  maxBytes: number,
): Promise<Tail> {
  const read = (absolute: string, own: readonly string[]) =>
    readOwn(absolute, own, startAt, maxBytes)
  return onOwn(path, roots, gate, read, refused)
}

async function onOwn<Result>(
  path: string,
  roots: readonly string[],
  gate: typeof pathGate,
  work: (absolute: string, own: readonly string[]) => Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  const absolute = expandHome(path)
  const own = await ownFolders(roots)
  // Judged by the normalized path alone, because accessing a path may wait for another machine.
  if (absolute === undefined || !isBelow(normalize(absolute), own)) return otherwise
  return gate.run(() => work(absolute, own), otherwise)
}

const refused: Tail = { text: '', isAll: true, isRefused: true }

async function readOwn(
  path: string,
  own: readonly string[],
  startAt: (size: number) => number,
  maxBytes: number,
): Promise<Tail> {
  let file: FileHandle | undefined
  try {
    file = await openOwn(path, own)
  } catch (error) {
    return { ...refused, isRefused: errorCode(error) !== 'ENOENT' }
  }
  if (!file) return refused
  try {
    const { size } = await file.stat()
    const start = startAt(size)
    const bytes = Buffer.alloc(Math.min(maxBytes, size - start))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    const read = bytes.subarray(0, bytesRead)
    const whole = start > 0 ? read.subarray(read.indexOf(10) + 1) : read
    return { text: whole.toString('utf8'), isAll: start === 0, isRefused: false }
  } catch {
    return refused
  } finally {
    await file.close()
  }
}

/** The client's own folders by the names that a payload may use: as configured, and with all links resolved. */
async function ownFolders(roots: readonly string[]): Promise<string[]> {
  const named = roots.map((root) => expandHome(root)).filter((root) => root !== undefined)
  const real = await Promise.all(named.map((root) => realpath(root).catch(() => root)))
  return [...new Set([...named, ...real])]
}

/** Windows does not distinguish capital letters, and some agents write the letter of a drive as a small one. */
export function isBelow(
  path: string,
  roots: readonly string[],
  platform = process.platform,
): boolean {
  const isWindows = platform === 'win32'
  const comparable = (text: string) => (isWindows ? text.toLowerCase() : text)
  const end = isWindows ? '\\' : '/'
  return roots.some((root) => comparable(path).startsWith(comparable(root) + end))
}

async function openOwn(path: string, own: readonly string[]): Promise<FileHandle | undefined> {
  const real = await realpath(path)
  const realRoots = await Promise.all(own.map((root) => realpath(root).catch(() => '')))
  if (!isBelow(real, realRoots.filter(Boolean))) return undefined
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile() && stat.uid === (process.getuid?.() ?? stat.uid)) return file
  await file.close()
  return undefined
}
