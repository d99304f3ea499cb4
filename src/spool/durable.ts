import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Codes of systems that cannot fsync a folder (Windows, some network volumes). */
const NO_FOLDER_SYNC = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EACCES', 'EBADF'])

/**
 * The one way to create a file: write beside it, fsync, rename, fsync the folder.
 * @throws the system error; nothing is left behind then
 */
export function writeDurable(path: string, chunks: readonly (string | Buffer)[], waiting: string) {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants
  const file = openSync(waiting, O_WRONLY | O_CREAT | O_EXCL, 0o600)
  try {
    try {
      for (const chunk of chunks) writeAll(file, Buffer.from(chunk))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(waiting, path)
  } catch (error) {
    unlinkQuietly(waiting)
    throw error
  }
  syncFolder(dirname(path))
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
  const uid = process.getuid?.()
  if (!stat.isDirectory() || (uid !== undefined && stat.uid !== uid)) {
    throw new Error(`${path}: not a folder of this user`)
  }
}

function makeFolder(path: string) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return lstatSync(path)
}
