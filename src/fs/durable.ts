import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { putInPlace, renameFile } from './rename.ts'

/** Codes of systems that cannot fsync a folder (Windows, some network volumes). */
const NO_FOLDER_SYNC = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EACCES', 'EBADF'])

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'])

/** Whether an error says that nothing more can be written to the disk. */
export function isOutOfRoom(error: unknown): boolean {
  return NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * The only way to create a file that must not be lost: write a temporary file, fsync, rename, fsync the folder.
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
    putInPlace(tmpPath, path)
  } catch (error) {
    unlinkQuietly(tmpPath)
    throw error
  }
  syncFolder(dirname(path))
}

/**
 * Replaces a file by a private one: a reader sees the old text or the new one, even after a crash.
 * @throws the system error; nothing is left behind then
 */
export function replaceFile(path: string, text: string, mode = 0o600) {
  const tmpPath = `${path}.${process.pid}`
  // Left by an earlier process with this id that was killed.
  unlinkQuietly(tmpPath)
  writeDurable(path, [text], tmpPath, mode)
}

/**
 * The same without waiting for the disk, which may be slow: for what may be lost in a power cut. Whoever reads it must
 * expect it to be damaged then.
 */
export function replaceUnsynced(path: string, text: string) {
  const tmpPath = `${path}.${process.pid}`
  unlinkQuietly(tmpPath)
  try {
    writeFileSync(tmpPath, text, { mode: 0o600, flag: 'wx' })
    renameFile(tmpPath, path)
  } catch (error) {
    unlinkQuietly(tmpPath)
    throw error
  }
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
    if (!isFolderSyncRefused(error)) throw error
  }
}

/** Whether the system cannot sync this folder: then its renames are as durable as they can be. */
export function isFolderSyncRefused(error: unknown): boolean {
  return NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Creates a folder that only this user can use.
 * @throws if it is a link, belongs to another user, or cannot be created
 */
export function privateFolder(path: string) {
  const stat = lstatSync(path, { throwIfNoEntry: false }) ?? makeFolder(path)
  if (!isOwnFolder(stat)) throw new Error(`${path}: not a folder of this user`)
}

/** @param stat from `lstat`, so that a link does not count as a folder */
export function isOwnFolder(stat: Stats): boolean {
  return stat.isDirectory() && stat.uid === (process.getuid?.() ?? stat.uid)
}

function makeFolder(path: string) {
  makeFolders(path, 0o700)
  return lstatSync(path)
}

/**
 * Creates a folder and its missing parents. Not with `recursive`, which never returns if a parent exists but cannot
 * take entries, as under /proc or an automounter.
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

/** Another process may create the folder first. */
function makeOne(path: string, mode: number): string | undefined {
  try {
    mkdirSync(path, mode)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  }
}
