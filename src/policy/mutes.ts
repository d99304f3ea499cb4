import { join, resolve, sep } from 'node:path'
import { partsOfName } from '../context/project.ts'
import { isInside } from '../fs/links.ts'
import { showPath } from '../text/clean.ts'
import { formatTime } from '../text/local-time.ts'
import { quoteShown } from '../text/shell.ts'

/** What a person has muted, and for how long. Without `session`, `project` and `kind`: everything but questions. */
export interface Mute {
  /** Unix ms; 0: until a person unmutes it. */
  until: number
  /** The id of a session, or its beginning. */
  session?: string
  /** The name of a project, or its folder. */
  project?: string
  kind?: string
  /** Whether permission questions are muted too: an agent stands still until one is answered. */
  questions?: true
}

/** The file with the mutes, in the state folder. It exists only if something is muted. */
export function mutePath(stateDir: string): string {
  return join(stateDir, 'mutes.json')
}

/** Makes a mute of what a person entered. `.` and other paths are folders. */
export function makeMute(said: {
  until: number
  session?: string | undefined
  project?: string | undefined
  kind?: string | undefined
  questions?: boolean | undefined
}): Mute {
  const { until, session, project, kind, questions = kind === 'permission' } = said
  const isPath = project !== undefined && (/^\.{1,2}$/.test(project) || /[/\\]/.test(project))
  return {
    until,
    ...(session && { session }),
    ...(project && { project: isPath ? resolve(project) : project }),
    ...(kind && { kind }),
    ...(questions && { questions }),
  }
}

/** `Muted until 2026-11-20 09:00 (project shop)`. */
export function describeMute(mute: Mute): string {
  return `Muted ${extentOf(mute)}`
}

/** The command that takes back this mute and no other. */
export function unmuteCommand({ session, project, kind }: Partial<Mute>): string {
  const options = Object.entries({ session, project, kind }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoteShown(value)}`],
  )
  return ['hookbell unmute', ...options].join(' ')
}

/** `until 2026-11-20 09:00 (project shop), questions too`. */
export function extentOf({ until, session, project, kind, questions }: Mute): string {
  const what = [
    session && `session ${showPath(session)}`,
    project && `project ${showPath(project)}`,
    kind && `kind ${kind}`,
  ]
  const named = what.filter(Boolean).join(', ')
  const when = until === 0 ? 'without an end' : `until ${formatTime(until)}`
  return `${when}${named && ` (${named})`}${questions ? ', questions too' : ''}`
}

interface EventOrigin {
  sessionId: string
  project: string
  cwd: string
  /** '' for a message of several kinds. */
  kind: string
  isQuestion: boolean
}

/** The mute that applies to an event now; undefined if there is none. */
export function findMute(
  mutes: readonly Mute[],
  origin: EventOrigin,
  now: number,
): Mute | undefined {
  return mutes.find((mute) => isInForce(mute, now) && isAbout(mute, origin))
}

export function isInForce({ until }: Mute, now: number): boolean {
  return until === 0 || now < until
}

/** Whether two mutes are of the same thing: the later one replaces the earlier one. */
export function isSameExtent(one: Mute, other: Mute): boolean {
  return (['session', 'project', 'kind'] as const).every((name) => one[name] === other[name])
}

function isAbout({ session, project, kind, questions }: Mute, origin: EventOrigin): boolean {
  const { sessionId, isQuestion, ...where } = origin
  if (isQuestion && !questions) return false
  if (kind !== undefined && kind !== origin.kind) return false
  if (session !== undefined && !sessionId.startsWith(session)) return false
  return project === undefined || isIn(project, where)
}

function isIn(muted: string, { project, cwd }: Pick<EventOrigin, 'project' | 'cwd'>): boolean {
  if (project === muted || partsOfName(project).repository === muted) return true
  if (!muted.includes(sep) || !cwd) return false
  const folder = resolve(muted)
  return cwd === folder || isInside(cwd, folder)
}
