import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { type ErrorCode, errorCode, HookbellError, pathFault, REPAIR_LINK } from '../errors.ts'

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
    // It is no missing file: its file may be on a disk that is not mounted yet.
    if (!stat && isLink(path))
      throw new HookbellError(code, `${path}: a link to nothing`, { hint: REPAIR_LINK })
    return stat
  } catch (error) {
    const fault = errorCode(error) === 'ELOOP' && pathFault(error)
    if (!fault) throw error
    throw new HookbellError(code, `${path}: ${fault.what}`, { hint: fault.hint, cause: error })
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
