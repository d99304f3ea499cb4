import type { Meaning } from '../event/meaning.ts'
import type { AcceptedEntry, EventFacts, Place } from '../journal/entry.ts'
import { isOwnEvent } from '../journal/entry.ts'
import { startOf } from '../text/clean.ts'

/** The kinds of events in which an agent asks or says something. */
const spoken: readonly string[] = ['permission', 'waiting', 'done', 'failed', 'abnormal-end']
/** As much as a line of a list shows. Each session costs every command that reads the checkpoint time. */
const MAX_TEXT = 140

/** What a person would see of a session. Times are Unix ms; 0: never. */
export interface Seen {
  /** When it was last begun, or taken up again. */
  startedAt: number
  /** When its agent last asked something that is no question for a permission. */
  askedAt: number
  project: string
  branch?: string
  /** Its name, or its first prompt. */
  name?: string
  /** What the agent last asked or said. Absent if the configuration keeps no texts. */
  said?: string
  /** In which a turn shows that it runs. */
  transcriptPath?: string
  /** Where it is. As long as its job lives, the session may. */
  place?: Place
  isOverSsh?: boolean
  surface?: string
}

/** Notes what an event shows of its session. The events of a session come in their order. */
export function noteSeen(session: { seen?: Seen }, entry: AcceptedEntry, meaning: Meaning) {
  if (isOwnEvent(entry)) return
  const { acceptedAt: at, kind, project, text = '', facts = {} } = entry
  session.seen ??= { startedAt: at, askedAt: 0, project }
  const { seen } = session
  if (meaning.isSessionStart) seen.startedAt = Math.max(seen.startedAt, at)
  if (kind === 'waiting' && !meaning.isIdle) seen.askedAt = Math.max(seen.askedAt, at)
  if (project) seen.project = project
  const { branch, sessionName = '', surface, transcriptPath } = facts
  const name = startOf(sessionName, MAX_TEXT)
  // A sub-agent that asks has a transcript of its own.
  const known = { branch, name, surface, ...(kind !== 'permission' && { transcriptPath }) }
  Object.assign(seen, Object.fromEntries(Object.entries(known).filter(([, value]) => value)))
  notePlace(seen, facts)
  const isIdle = kind === 'waiting' && meaning.isIdle
  if (spoken.includes(kind) && !isIdle && text) seen.said = startOf(text, MAX_TEXT)
  if (meaning.isSessionEnd) delete seen.transcriptPath
}

/** The session may have been taken up elsewhere. An event that is read late does not show the job, but its terminal. */
function notePlace(seen: Seen, { place, isOverSsh }: EventFacts) {
  const { terminal, job } = seen.place ?? {}
  delete seen.place
  delete seen.isOverSsh
  if (place) seen.place = { ...(place.terminal === terminal && job && { job }), ...place }
  if (isOverSsh) seen.isOverSsh = true
}
