import { openQuestions } from '../policy/questions.ts'
import type { Session } from '../policy/sessions.ts'
import { isTurnOver, turnStart } from '../policy/turns.ts'

/** The order is that in which a person wants to know of them. */
export const states = ['asks', 'still', 'failed', 'done', 'works', 'ended'] as const
export type State = (typeof states)[number]

/** Without a sign of life for this long, a session that should work stands still. More than most commands of agents take. */
export const STILL_MS = 10 * 60_000
/** A client may write its idle notice into the transcript, too. */
const NOTICE_MS = 5000

/** What this machine shows of a session, besides its events. Times are Unix ms. */
export interface Evidence {
  /** Whether the process lives that is the agent, or started it. */
  job: 'alive' | 'stopped' | 'unknown' | 'dead'
  /** When the machine was started: no session outlives that. Absent if unknown. */
  bootedAt?: number
  /** When the transcript last grew. Absent if unknown. */
  grewAt?: number | undefined
  /** How the turn ended that runs as far as events tell, by the transcript. */
  outcome?: { how: 'completed' | 'failed' | 'interrupted'; at: number } | undefined
  /** When questions were answered that are open as far as events tell, by their ids. */
  answered?: ReadonlyMap<string, number>
}

/** What a session does, and since when. */
export interface Standing {
  state: State
  since: number
  /** What shows it, if that is no event. */
  because?: string
}

/** What a session does now, by its events and by what this machine shows. Pure. */
export function stateOf(session: Session, evidence: Evidence, now: number): Standing {
  return (
    endedBy(session, evidence) ??
    asking(session, evidence) ??
    restingAfterTurn(session, now) ??
    (turnStart(session) > 0 ? running(session, evidence, now) : beforeTurns(session))
  )
}

/** The last sign of life of a session. */
export function lastSign({ latestAt }: Session, { grewAt = 0, answered }: Evidence): number {
  return Math.max(latestAt, grewAt, ...(answered?.values() ?? []))
}

function endedBy(session: Session, evidence: Evidence): Standing | undefined {
  const { endedAt, promptAt, ownTurnAt, latestAt, seen } = session
  const begunAt = Math.max(promptAt, ownTurnAt, seen?.startedAt ?? 0)
  if (endedAt > 0 && endedAt >= begunAt) return { state: 'ended', since: endedAt }
  const { job, bootedAt = 0 } = evidence
  const since = lastSign(session, evidence)
  if (job === 'dead') return { state: 'ended', since, because: 'its process is gone' }
  if (job !== 'unknown' || latestAt >= bootedAt) return undefined
  return { state: 'ended', since, because: 'the machine was started anew' }
}

function asking(session: Session, { answered }: Evidence): Standing | undefined {
  const open = openQuestions(session).filter(({ id }) => !answered?.has(id))
  if (open.length > 0) return { state: 'asks', since: Math.min(...open.map(({ at }) => at)) }
  const { seen, answeredAt, promptAt, ownTurnAt, replies } = session
  const { askedAt = 0 } = seen ?? {}
  const goneOnAt = Math.max(answeredAt, promptAt, ownTurnAt, ...replies.map(({ at }) => at))
  return askedAt > goneOnAt ? { state: 'asks', since: askedAt } : undefined
}

/** After the end of a turn, the client may go on by itself: for agents in the background, or as scheduled. */
function restingAfterTurn(session: Session, now: number): Standing | undefined {
  const { turnEnd } = session
  if (!turnEnd || !isTurnOver(session)) return undefined
  const { at: since, means, asks, backgroundAgents, backgroundTeammates, wakesAt = 0 } = turnEnd
  if (means === 'StopFailure') return { state: 'failed', since }
  if (asks) return { state: 'asks', since }
  const goesOn = backgroundAgents - backgroundTeammates > 0 || wakesAt > now
  if (goesOn && means === 'Stop') return undefined
  return { state: 'done', since }
}

function running(session: Session, evidence: Evidence, now: number): Standing {
  const { turnEnd } = session
  const begunAt = turnStart(session)
  const isInBackground = isTurnOver(session)
  const restAt = isInBackground ? 0 : restSince(session, evidence)
  if (restAt >= begunAt) return { state: 'done', since: restAt }
  const { outcome, job } = evidence
  if (outcome && outcome.at >= begunAt && !isInBackground) {
    return {
      state: outcome.how === 'failed' ? 'failed' : 'done',
      since: outcome.at,
      because: 'its transcript shows it',
    }
  }
  const sign = lastSign(session, evidence)
  if (job === 'stopped') return { state: 'still', since: sign, because: 'its process is stopped' }
  // It goes on at its time.
  const expectedAt = isInBackground ? (turnEnd?.wakesAt ?? 0) : 0
  const dueAt = Math.max(sign, expectedAt)
  if (now - dueAt > STILL_MS) return { state: 'still', since: sign }
  return { state: 'works', since: begunAt }
}

/** Some clients fire no hook when a person stops a turn, only a notice that nothing has happened since. */
function restSince(session: Session, { grewAt = 0 }: Evidence): number {
  const { restedAt, idleAt, latestAt, wentOnAt } = session
  const isIdle = latestAt <= idleAt && grewAt <= idleAt + NOTICE_MS
  const restAt = Math.max(restedAt, isIdle ? idleAt : 0)
  return restAt >= Math.max(0, ...wentOnAt) ? restAt : 0
}

function beforeTurns({ seen, latestAt }: Session): Standing {
  const since = seen?.startedAt || latestAt
  return { state: 'done', since, because: 'nothing was asked yet' }
}
