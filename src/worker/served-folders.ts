import { existsSync } from 'node:fs'
import { fallbackFolders } from '../config/pinned.ts'
import { distinctFolders } from '../fs/links.ts'
import { isTrusted } from '../fs/ownership.ts'
import { holdsEvents } from '../spool/layout.ts'
import { startMarkerPath } from '../spool/lock/start-marker.ts'
import { notesIn } from './memory.ts'
import { reportedIn } from './own-messages/config-problem.ts'

/**
 * The state folder, and the front door's fallback folders that hold events. Also those that hold only a start marker,
 * which this worker has to remove: another worker may just have taken the last event. And those that have reported a
 * broken configuration, until that is over. Each is served once, even under two names. Folders that another user owns
 * or may write to are left out.
 */
export function servedFolders(stateDir: string, env = process.env): string[] {
  const trusted = [stateDir, ...fallbackFolders(stateDir, env)].filter(isTrusted)
  return distinctFolders(trusted.filter((folder) => folder === stateDir || needsWorker(folder)))
}

function needsWorker(folder: string): boolean {
  return (
    holdsEvents(folder) ||
    existsSync(startMarkerPath(folder)) ||
    reportedIn(notesIn(folder)).hash !== ''
  )
}
