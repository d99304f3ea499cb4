import { existsSync, lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { type ErrorCode, errorCode, HookbellError, pathFault, REPAIR_LINK } from '../errors.ts'

/** The path behind all symbolic links; the path itself if it does not exist or cannot be resolved. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Each folder once, by the first of its names. */
export function distinctFolders(folders: readonly string[]): string[] {
  const names = new Map<string, string>()
  for (const folder of folders) {
    const real = realPath(folder)
    if (!names.has(real)) names.set(real, folder)
  }
  return [...names.values()]
}

/**
 * The file to write in place of a path: if the path is a symbolic link, its target, so that the link stays. People keep
 * such files elsewhere and link to them. @throws HookbellError for a link that leads nowhere
 */
export function targetOf(path: string): string {
  followLink(path, 'E_CONFIG')
  return isLink(path) ? realpathSync(path) : path
}

/**
 * What a path leads to; undefined if there is nothing. @throws HookbellError for a link that leads nowhere, also in the
 * place of a folder above
 */
export function followLink(path: string, code: ErrorCode): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    // A dead link is not a missing file: its target may be on a disk that is not mounted yet.
    const dead = stat ? undefined : deadLinkIn(path)
    if (dead !== undefined)
      throw new HookbellError(code, `${dead}: a link to nothing`, { hint: REPAIR_LINK })
    return stat
  } catch (error) {
    const fault = errorCode(error) === 'ELOOP' && pathFault(error)
    if (!fault) throw error
    throw new HookbellError(code, `${path}: ${fault.what}`, { hint: fault.hint, cause: error })
  }
}

/** The part of a missing path that is a symbolic link to nothing, if one is. */
export function deadLinkIn(path: string): string | undefined {
  if (existsSync(path) || path === dirname(path)) return undefined
  return isLink(path) ? path : deadLinkIn(dirname(path))
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Whether a path lies below a folder, judged by the texts alone. The root folder ends with a separator already. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
