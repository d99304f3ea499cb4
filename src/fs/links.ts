import { lstatSync, realpathSync } from 'node:fs'

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
 * such files elsewhere. @throws the system error for a link to nothing
 */
export function targetOf(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(path) : path
}
