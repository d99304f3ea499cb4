import { readdirSync } from 'node:fs'
import { errorCode } from '../errors.ts'

/** The names in a folder; none if it is missing, not a folder, or not readable by this user. */
export function listQuietly(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The names in a folder; none if it is missing or not a folder. @throws the system error if it cannot be read */
export function listIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}
