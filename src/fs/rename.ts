import { renameSync } from 'node:fs'
import { isMissing } from './missing.ts'

/** Windows refuses to rename a file that another program has open, such as a virus scanner, which takes milliseconds. */
const MOMENTARY = new Set(['EPERM', 'EACCES', 'EBUSY'])
/** Together shorter than an agent notices, because a front door waits too. */
export const PAUSES_MS = [10, 20, 40, 80, 100]

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
export function putInPlace(from: string, to: string) {
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
export function isMomentary(error: unknown): boolean {
  return process.platform === 'win32' && MOMENTARY.has(codeOf(error))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
