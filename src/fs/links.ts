import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { type ErrorCode, errorCode, HookbellError, pathFault } from '../errors.ts'

/** What to do about a link that leads nowhere. */
export const REPAIR = 'Repair the link, or remove it'

/** The path behind all symbolic links; the path itself if it does not exist or cannot be resolved. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The file to write in place of a path: if the path is a symbolic link, its target, so that the link stays. People keep
 * such files elsewhere. @throws HookbellError for a link that leads nowhere
 */
export function targetOf(path: string): string {
  followLink(path, 'E_CONFIG')
  return isLink(path) ? realpathSync(path) : path
}

/** What a path leads to; undefined if there is nothing. @throws HookbellError for a link that leads nowhere */
export function followLink(path: string, code: ErrorCode): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat && isLink(path)) throw linkToNothing(path, code)
    return stat
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') throw error
    const options = { hint: REPAIR, cause: error }
    throw new HookbellError(code, `${path}: ${pathFault(error)}`, options)
  }
}

/** A link to nothing is no missing file: its file may be on a disk that is not mounted yet. */
export function linkToNothing(path: string, code: ErrorCode): HookbellError {
  return new HookbellError(code, `${path}: a link to nothing`, { hint: REPAIR })
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
