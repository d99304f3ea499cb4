import { sep } from 'node:path'
import { partsOfName } from '../../context/project.ts'
import type { Mute } from '../../policy/mutes.ts'
import { didYouMean } from '../../text/suggest.ts'
import { readEvents } from '../_events.ts'

/** How many of the last events are looked through. */
const RECENT = 500

/** Says that none of the recent events is of the session or project of a mute, since its name may have a typo. */
export function unseenExtent(
  { session, project }: Mute,
  folders: readonly string[],
): string | undefined {
  const isFolder = project?.includes(sep) === true
  if (session === undefined && (project === undefined || isFolder)) return undefined
  const events = readEvents(folders).known.slice(-RECENT)
  if (session !== undefined && !events.some(({ sessionId }) => sessionId.startsWith(session))) {
    return `No recent event is of a session whose id begins with ${session}.`
  }
  const names = events.flatMap((event) => [event.project, partsOfName(event.project).repository])
  const known = [...new Set(names)].filter(Boolean)
  if (project === undefined || isFolder || known.includes(project)) return undefined
  const guess = known.length > 0 ? ` ${didYouMean(project, known.slice(-10))}` : ''
  return `No recent event is of the project ${project}.${guess}`
}
