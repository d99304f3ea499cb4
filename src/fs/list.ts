import { readdirSync } from 'node:fs'

/** The names in a folder; none if it is missing, not a folder, or not readable by this user. */
export function listQuietly(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
