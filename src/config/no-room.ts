import { whyNoRoom } from '../fs/room.ts'
import { fallbackFolders } from './pinned.ts'

export interface NoRoom {
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
  const another = whyNoRoom(fallback)
  const effect = another
    ? `events are lost, because ${fallback} takes none either: ${another}`
    : `events are stored in ${fallback}`
  return {
    message: `${stateDir}: ${reason}; ${effect}`,
    hint: reason.endsWith('read-only') ? 'Make it writable' : 'Make room',
    losesEvents: another !== undefined,
  }
}
