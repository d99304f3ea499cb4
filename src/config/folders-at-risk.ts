import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { HookbellError } from '../errors.ts'
import { isOwnFolder, whyNoSpace } from '../fs/durable.ts'
import { folderFault } from '../fs/ownership.ts'
import { fallbackFolders } from './pinned.ts'

/** Folders that another user could change, each as an error with the command that fixes it. */
export function foldersAtRisk(configDir: string, stateDir: string): HookbellError[] {
  return [
    folderFault(configDir),
    folderFault(join(configDir, 'templates')),
    folderFault(stateDir, 'E_SPOOL'),
  ].filter((fault) => fault !== undefined)
}

/** @throws HookbellError for the first of them */
export function refuseFoldersAtRisk(configDir: string, stateDir: string): void {
  const [fault] = foldersAtRisk(configDir, stateDir)
  if (fault) throw fault
}

interface NoSpace {
  message: string
  hint: string
  /** Neither the state folder nor its fallback can take an event. */
  losesEvents: boolean
}

/** @returns undefined unless the disk of the state folder takes no event */
export function noSpace(stateDir: string): NoSpace | undefined {
  const reason = whyNoSpace(stateDir)
  if (!reason) return undefined
  const [fallback = stateDir] = fallbackFolders(stateDir)
  const another = whyNotStored(fallback)
  const effect = another
    ? `events are lost, because ${fallback} takes none either: ${another}`
    : `events are stored in ${fallback}`
  return {
    message: `${stateDir}: ${reason}; ${effect}`,
    hint: reason.endsWith('read-only') ? 'Make it writable' : 'Make room',
    losesEvents: another !== undefined,
  }
}

/** Why the front door cannot store an event in a folder; undefined if it can. */
function whyNotStored(folder: string): string | undefined {
  const otherwise = 'nothing can be written there'
  try {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat && !isOwnFolder(stat)) return 'it is not a folder of this user'
    return whyNoSpace(folder, otherwise)
  } catch {
    return otherwise
  }
}
