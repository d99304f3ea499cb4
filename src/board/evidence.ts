import { uptime } from 'node:os'
import { AnswerWatch } from '../context/answers.ts'
import { formatOf, rootsOf } from '../context/of-client.ts'
import { grewAt, readTranscript } from '../context/transcript.ts'
import { openQuestions } from '../policy/questions.ts'
import type { Session, SessionRef } from '../policy/sessions.ts'
import { livenessOf } from '../spool/lock/owner.ts'
import { type Evidence, stateOf } from './state.ts'

/** A transcript that grew just now shows that the turn runs: it need not be read. */
const QUIET_MS = 5000

/**
 * What this machine shows of a session. Looks only at what can change its state: processes are looked at for those that may
 * live, transcripts for those that may work or ask.
 */
export async function findEvidence(
  ref: SessionRef,
  session: Session,
  now: number,
): Promise<Evidence> {
  const found: Evidence = { job: 'unknown' }
  if (stateOf(session, found, now).state === 'ended') return found
  Object.assign(found, lifeOf(session, now))
  const { state } = stateOf(session, found, now)
  if (state === 'works' || state === 'still') Object.assign(found, await turnOf(ref, session, now))
  if (state !== 'asks') return found
  const answered = await answeredIn(ref, session)
  // Then it works again, or does not.
  const isOver = answered.size > 0 && answered.size === openQuestions(session).length
  return { ...found, answered, ...(isOver && (await turnOf(ref, session, now))) }
}

/** A session whose process runs elsewhere outlives a start of this machine. */
function lifeOf({ seen }: Session, now: number): Pick<Evidence, 'job' | 'bootedAt'> {
  if (seen?.place?.job) return { job: livenessOf(seen.place.job) }
  return { job: 'unknown', bootedAt: now - uptime() * 1000 }
}

async function turnOf({ client }: SessionRef, session: Session, now: number) {
  const { transcriptPath } = session.seen ?? {}
  if (!transcriptPath) return {}
  const roots = rootsOf(client)
  const at = await grewAt(transcriptPath, roots)
  if (at === undefined || now - at < QUIET_MS) return { grewAt: at }
  const read = await readTranscript(transcriptPath, roots, now, formatOf(client))
  const { outcome: how, outcomeAt } = read
  return { grewAt: at, ...(how && outcomeAt && { outcome: { how, at: outcomeAt } }) }
}

async function answeredIn(ref: SessionRef, session: Session): Promise<Map<string, number>> {
  const answered = new Map<string, number>()
  for (const { transcriptPath, ...asked } of openQuestions(session)) {
    if (!transcriptPath) continue
    const { answeredAt } = await new AnswerWatch().look({ ...asked, ...ref, transcriptPath })
    if (answeredAt !== undefined) answered.set(asked.id, answeredAt)
  }
  return answered
}
