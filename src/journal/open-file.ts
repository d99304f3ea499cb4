import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { errorCode, HookbellError } from '../errors.ts'
import { isMissing } from '../fs/missing.ts'

const { O_RDONLY, O_NONBLOCK = 0 } = constants

/** A file of the journal, as it was when it was opened. */
export interface OpenFile {
  path: string
  fd: number
  dev: number
  inode: number
  size: number
}

/**
 * @returns undefined if there is no such file
 * @throws if it exists and cannot be read: a person must not be told that the journal is empty
 */
export function openFile(path: string): OpenFile | undefined {
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  const stat = fstatSync(fd)
  if (stat.isFile()) return { path, fd, dev: stat.dev, inode: stat.ino, size: stat.size }
  closeSync(fd)
  throw notAFile(path)
}

/**
 * Opens files, given oldest first. The newest is opened before the others, so that a rotation meanwhile cannot hide one.
 * One that such a rotation renames is returned once.
 * @throws as `openFile`; none is left open then
 */
export function openFiles(paths: readonly string[]): OpenFile[] {
  const files = new Map<string, OpenFile>()
  try {
    for (const path of paths.toReversed()) {
      const file = openFile(path)
      if (!file) continue
      const key = `${file.dev} ${file.inode}`
      if (files.has(key)) closeSync(file.fd)
      else files.set(key, file)
    }
  } catch (error) {
    closeFiles(files.values())
    throw error
  }
  return [...files.values()].reverse()
}

export function closeFiles(files: Iterable<OpenFile>) {
  for (const { fd } of files) closeSync(fd)
}

/** A folder, a pipe or the like in the place of a file of the journal. */
function notAFile(path: string): HookbellError {
  return new HookbellError('E_SPOOL', `${path} is not a regular file`, { hint: 'Move it away' })
}

function openIfThere(path: string): number | undefined {
  if (isMissing(path)) return undefined
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
