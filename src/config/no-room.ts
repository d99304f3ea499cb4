import { lstatSync } from 'node:fs'
import { isOwnFolder, whyNoRoom } from '../fs/durable.ts'
import { fallbackFolders } from './pinned.ts'

interface NoRoom {
  message: string
  hint: string
  /** Neither the state folder nor its fallback can take an event. */
  losesEvents: boolean
}

/** @returns undefined unless the disk of the state folder takes no event */
export function noRoom(stateDir: string): NoRoom | undefined {
  const reason = whyNoRoom(stateDir)
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
    return whyNoRoom(folder, otherwise)
  } catch {
    return otherwise
  }
}
