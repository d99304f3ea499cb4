import { resolve, sep } from 'node:path'

/** What a person does not want to hear of, and for how long. Without `session` and `project`: everything. */
export interface Mute {
  /** Unix ms; 0: until it is taken back. */
  until: number
  /** The id of a session, or its beginning. */
  session?: string
  /** The name of a project, or its folder. */
  project?: string
}

interface Whose {
  sessionId: string
  project: string
  cwd: string
}

/** The mute that counts for an event now. */
export function findMute(mutes: readonly Mute[], whose: Whose, now: number): Mute | undefined {
  return mutes.find((mute) => isInForce(mute, now) && isAbout(mute, whose))
}

export function isInForce({ until }: Mute, now: number): boolean {
  return until === 0 || now < until
}

function isAbout({ session, project }: Mute, { sessionId, ...where }: Whose): boolean {
  if (session !== undefined && !(session !== '' && sessionId.startsWith(session))) return false
  return project === undefined || isIn(project, where)
}

function isIn(muted: string, { project, cwd }: Pick<Whose, 'project' | 'cwd'>): boolean {
  if (muted === project) return true
  if (!muted.includes(sep) || !cwd) return false
  const folder = resolve(muted)
  return cwd === folder || cwd.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
