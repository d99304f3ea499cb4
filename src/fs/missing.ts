import { lstatSync, statSync } from 'node:fs'

/**
 * Whether nothing is at a path. For files that mostly do not exist: V8 takes as long to create the error of a failed
 * call as to ask twenty times.
 */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** Whether something is at a path that can be reached, also a link to nothing. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
