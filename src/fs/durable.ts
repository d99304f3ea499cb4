import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Codes of systems that cannot fsync a folder (Windows, some network volumes). */
const NO_FOLDER_SYNC = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EACCES', 'EBADF'])

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'])

/** Whether an error says that the disk takes nothing more. */
export function isOutOfRoom(error: unknown): boolean {
  return NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * The one way to create a file: write beside it, fsync, rename, fsync the folder.
 * @throws the system error; nothing is left behind then
 */
export function writeDurable(
  path: string,
  chunks: readonly (string | Buffer)[],
  tmpPath: string,
  mode = 0o600,
) {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants
  const file = openSync(tmpPath, O_WRONLY | O_CREAT | O_EXCL, 0o600)
  try {
    try {
      if (mode !== 0o600) fchmodSync(file, mode)
      for (const chunk of chunks) writeAll(file, Buffer.from(chunk))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(tmpPath, path)
  } catch (error) {
    unlinkQuietly(tmpPath)
    throw error
  }
  syncFolder(dirname(path))
}

/**
 * Replaces a file by a private one: a reader sees the old text or the new one, also after a crash.
 * @throws the system error; nothing is left behind then
 */
export function replaceFile(path: string, text: string, mode = 0o600) {
  const tmpPath = `${path}.${process.pid}`
  // Of an earlier process with this number, that was killed.
  unlinkQuietly(tmpPath)
  writeDurable(path, [text], tmpPath, mode)
}

function writeAll(file: number, bytes: Buffer) {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset)
}

function unlinkQuietly(path: string) {
  try {
    unlinkSync(path)
  } catch {
    // Never created, or already renamed.
  }
}

/** Makes the renames in a folder survive a power cut. */
export function syncFolder(path: string) {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch (error) {
    if (!NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/**
 * Creates a folder that only this user can use.
 * @throws when it is a link, belongs to somebody else, or cannot be made
 */
export function privateFolder(path: string) {
  const stat = lstatSync(path, { throwIfNoEntry: false }) ?? makeFolder(path)
  if (!isOwnFolder(stat)) throw new Error(`${path}: not a folder of this user`)
}

/** Given what `lstat` says: a link is none. */
export function isOwnFolder(stat: Stats): boolean {
  return stat.isDirectory() && stat.uid === (process.getuid?.() ?? stat.uid)
}

function makeFolder(path: string) {
  makeFolders(path, 0o700)
  return lstatSync(path)
}

/**
 * Creates a folder and what is missing above it. Not by `recursive`: that never returns where a folder is there
 * but takes no entries, as under /proc or an automounter.
 * @returns the highest folder that is new
 * @throws the system error
 */
export function makeFolders(path: string, mode: number): string | undefined {
  try {
    return makeOne(path, mode)
  } catch (error) {
    const above = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error
    const highest = makeFolders(above, mode)
    const own = makeOne(path, mode)
    return highest ?? own
  }
}

/** Another process may be faster. */
function makeOne(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, mode)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  }
}
