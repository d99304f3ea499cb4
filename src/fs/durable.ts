import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  statfsSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../errors.ts'
import { isMissing } from './read.ts'

/** Windows refuses to rename a file that another program has open, such as a virus scanner, which takes milliseconds. */
const MOMENTARY = new Set(['EPERM', 'EACCES', 'EBUSY'])

/** Together shorter than an agent notices, because a front door waits too. */
const PAUSES_MS = [10, 20, 40, 80, 100]

/** Both front doors reserve as much before they read an event. */
const NEEDED_BYTES = 64 * 1024

/** Codes of systems that cannot fsync a folder (Windows, some network volumes). */
const NO_FOLDER_SYNC = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EACCES', 'EBADF'])

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG'])

/** Whether an error says that nothing more can be written to the disk. */
export function isOutOfSpace(error: unknown): boolean {
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
function isFolderSyncRefused(error: unknown): boolean {
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

/** Renames a file. @throws the system error */
export function renameFile(from: string, to: string) {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return renameSync(from, to)
    } catch (error) {
      if (pauseMs === undefined || !isMomentary(error)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}

/** Gives a complete file its name. Only for a file that no other process removes. @throws the system error */
function putInPlace(from: string, to: string) {
  try {
    renameFile(from, to)
  } catch (error) {
    if (!isRenamed(from, to, error)) throw error
  }
}

/**
 * Whether a rename has happened although it reported an error: the response of a file server can get lost. Another
 * process may already have moved the file on from its new place.
 */
export function isRenamed(from: string, to: string, error: unknown): boolean {
  return isMissing(from) && (codeOf(error) !== 'ENOENT' || !isMissing(to))
}

/** Whether it is worth trying again after a pause. */
function isMomentary(error: unknown): boolean {
  return process.platform === 'win32' && MOMENTARY.has(codeOf(error))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

/**
 * Why no file can be created in a folder, which may not exist yet; undefined if its disk is no obstacle.
 * @param otherwise what to return if something else is, such as its permissions
 */
export function whyNoSpace(folder: string, otherwise?: string): string | undefined {
  if (isMissing(folder) && dirname(folder) !== folder) return whyNoSpace(dirname(folder), otherwise)
  try {
    // With the dot, a file in the place of the folder is refused.
    accessSync(`${folder}/.`, constants.W_OK)
    const { blocks, bavail, bsize, files, ffree } = statfsSync(folder)
    // File systems without a limit report 0 of 0, as those of FUSE often do.
    if (blocks > 0 && bavail * bsize < NEEDED_BYTES) return 'the disk is full'
    return files > 0 && ffree === 0 ? 'the disk has no room for another file' : undefined
  } catch (error) {
    return errorCode(error) === 'EROFS' ? 'the disk is read-only' : otherwise
  }
}

/**
 * Creates a file as `writeDurable` does, without blocking this process: a slow disk must not delay other messages.
 * @throws the system error; nothing is left behind then
 */
export async function writeDurableAsync(
  path: string,
  text: string,
  tmpPath: string,
): Promise<void> {
  await writeSynced(tmpPath, text)
  try {
    await putInPlaceAsync(tmpPath, path)
  } catch (error) {
    await unlink(tmpPath).catch(() => {})
    throw error
  }
  await syncFolderAsync(dirname(path))
}

/** Writes a new file, and waits for the disk. @throws the system error; nothing is left behind then */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

async function putInPlaceAsync(from: string, to: string): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (isRenamed(from, to, error)) return
      if (pauseMs === undefined || !isMomentary(error)) throw error
      await sleep(pauseMs)
    }
  }
}

/** Makes the renames in a folder survive a power cut, as far as the system can sync folders. */
export async function syncFolderAsync(path: string): Promise<void> {
  try {
    const folder = await open(path, constants.O_RDONLY)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!isFolderSyncRefused(error)) throw error
  }
}
