import type { QuestionEnd } from '../journal/history.ts'
import { endOf } from './questions.ts'
import { isOver, lastJudgedAt, type Session } from './sessions.ts'
import { isAtWork, isTurnOver, replaces } from './turns.ts'
import type { HeldEvent } from './types.ts'

/**
 * The recorded reason for a question that is not sent because it is answered. Must not change: `simulate` finds it in
 * journals.
 */
export const ANSWERED_BEFORE = 'answered before it was told'

/** The same for any other event. */
export const WENT_ON_BEFORE = 'a person went on with the session before it was told'

/** The same where a person has closed the session. */
export const ENDED_BEFORE = 'the session ended before it was told'

/** The recorded reason for a question that is not sent because it has ended. */
export function whyNotAsked({ how }: Pick<QuestionEnd, 'how'>): string {
  return how === 'none' ? ENDED_BEFORE : ANSWERED_BEFORE
}

/** How long after it is due the end of a turn waits again while the client works on the turn that was expected. */
const AT_WORK_MS = 10 * 60_000
/** A client that works longer was probably killed. */
const MAX_AT_WORK_MS = 2 * 3600_000

/** Another time at which a held event is due, Unix ms; not later than now: at once. */
export interface Postponed {
  until: number
  reason: string
}

/**
 * What becomes of a held event: it is dropped once it does not matter any more, or something that followed is told; it is
 * due at once if nothing will follow.
 * @returns why it is not worth sending any more; or another time at which it is due; undefined if all stays as it is
 */
export function reviewHeld(
  held: HeldEvent,
  session: Session | undefined,
  now: number,
): string | Postponed | undefined {
  if (!session) return undefined
  const end = held.kind === 'permission' ? endOf(session, held) : undefined
  if (end) return whyNotAsked(end)
  if (isOver(session, held)) return WENT_ON_BEFORE
  if (held.kind !== 'done') return undefined
  const { turnEnd } = session
  if (turnEnd?.means === 'Interrupt' && turnEnd.at > held.at) return WENT_ON_BEFORE
  if (hasGoneOn(held, session)) return 'the agent went on'
  if (isFollowed(held, session)) return 'a later turn of its session is told'
  return held.expects ? reviewExpectation(held, session, now) : undefined
}

function reviewExpectation(held: HeldEvent, session: Session, now: number) {
  const { at, expects, until, isStep } = held
  const hasEnded = session.endedAt > at
  if (hasEnded && session.isHeadless !== true) return ENDED_BEFORE
  if (isStep) return undefined
  if (now < until) {
    if (hasEnded) return { until: now, reason: 'the session has ended' }
    const saysSo = expects === 'notice' && session.idleAt > at && isTurnOver(session)
    return saysSo ? { until: now, reason: 'the agent says that it waits' } : undefined
  }
  const end = session.ownTurnAt + MAX_AT_WORK_MS
  const isAwaited = expects === 'turn' && session.ownTurnAt > at && isAtWork(session)
  if (!isAwaited || end <= now) return undefined
  return { until: Math.min(now + AT_WORK_MS, end), reason: 'the agent is at work again' }
}

/** Whether the agent went on in the same turn, and something came of that. */
function hasGoneOn({ at, channel }: HeldEvent, session: Session): boolean {
  const { wentOnAt, turnEnd } = session
  const latest = Math.max(...wentOnAt, turnEnd?.at ?? 0, lastJudgedAt(session, channel))
  return wentOnAt.includes(at) && latest > at
}

function isFollowed({ at, channel, asks = false }: HeldEvent, { turnEnd }: Session): boolean {
  return turnEnd !== undefined && turnEnd.at > at && replaces(turnEnd, { channel, asks })
}
