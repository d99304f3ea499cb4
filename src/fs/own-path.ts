import type { Stats } from 'node:fs'
import { lstat, readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'

/** For the group or everybody. */
const OTHERS_WRITE = 0o022
const STICKY = 0o1000
/** As many as Linux follows. */
const MAX_LINKS = 40

/** What is at a path, by its name without links. */
export interface OwnPath {
  path: string
  stat: Stats
}

/**
 * What is at a path of this user that no other user can replace, now or later: each folder, link and the end belong to this
 * user or to root, and others cannot write to any of the folders, or remove what is not theirs from it (as in `/tmp`).
 * @param from a folder above that counts as such a path
 * @returns undefined for any other path, and if the end belongs to somebody else
 */
export async function ownPath(path: string, from = '/'): Promise<OwnPath | undefined> {
  if (!isAbsolute(path)) return undefined
  try {
    const real = await resolveOwn(from, path.slice(from.length).split('/'), MAX_LINKS)
    const stat = await lstat(real)
    return stat.uid === process.getuid?.() ? { path: real, stat } : undefined
  } catch {
    return undefined
  }
}

/** The same for a folder to which others cannot write. @returns its path without links */
export async function ownFolder(path: string): Promise<string | undefined> {
  const found = await ownPath(path)
  if (!found?.stat.isDirectory() || (found.stat.mode & OTHERS_WRITE) !== 0) return undefined
  return found.path
}

/** @throws if another user could have put something else there */
async function resolveOwn(
  folder: string,
  [name, ...rest]: readonly string[],
  linksLeft: number,
): Promise<string> {
  if (name === undefined) return folder
  if (name === '' || name === '.') return await resolveOwn(folder, rest, linksLeft)
  if (name === '..') return await resolveOwn(dirname(folder), rest, linksLeft)
  const path = join(folder, name)
  const stat = await lstat(path)
  if (!isOurs(stat) || !keepsOthersOut(await lstat(folder))) throw new Error('of another user')
  if (!stat.isSymbolicLink()) return await resolveOwn(path, rest, linksLeft)
  if (linksLeft === 0) throw new Error('too many links')
  const target = await readlink(path)
  const start = isAbsolute(target) ? '/' : folder
  return await resolveOwn(start, [...target.split('/'), ...rest], linksLeft - 1)
}

/** In a folder with the sticky bit, only the owner of a file can remove or rename it. */
function keepsOthersOut(folder: Stats): boolean {
  return isOurs(folder) && ((folder.mode & OTHERS_WRITE) === 0 || (folder.mode & STICKY) !== 0)
}

function isOurs({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.()
}
