import type { EnrichedEvent } from '../context/enrich.ts'
import type { Kind } from '../event/event.ts'
import { meaningOf } from '../event/meaning.ts'
import type { Session } from './sessions.ts'
import { isTurnOver, turnStart } from './turns.ts'

/** What earlier events of the session show that an event means. */
export interface Corrected {
  kind: Kind
  /** Absent if it means the same. */
  means?: EnrichedEvent['means']
  because: string
}

/**
 * Corrects the kind of an event if there is evidence for it. Some clients end every successful one-shot run with a
 * reason that sounds like a crash, and some report the failure of a request of their own as one of the session.
 * @returns undefined if the kind stays
 */
export function kindByEvidence(
  event: EnrichedEvent,
  session: Session | undefined,
  /** Reasons of an end that a person declared abnormal. If there are any, evidence is ignored. */
  ownReasons: readonly string[] | undefined,
): Corrected | undefined {
  if (event.kind === 'failed' && session && isOutsideTurn(event, session)) {
    const because = 'no turn was running: a background agent, or a request of the client, failed'
    return { kind: 'other', means: 'Internal', because }
  }
  if (event.kind !== 'abnormal-end' || ownReasons) return undefined
  const because = ordinaryEndEvidence(event, session)
  return because === undefined ? undefined : { kind: 'ended', because }
}

/**
 * Whether the last turn of the session was over when something failed. Not if the client does not report when a turn
 * begins, or if its transcript shows that another one has begun.
 */
function isOutsideTurn({ at, durationMs = 0 }: EnrichedEvent, session: Session): boolean {
  const { turnEnd } = session
  if (!turnEnd || turnStart(session) === 0 || !isTurnOver(session)) return false
  return durationMs === 0 || at - durationMs <= turnEnd.at
}

function ordinaryEndEvidence(
  event: EnrichedEvent,
  session: Session | undefined,
): string | undefined {
  // A one-shot run that ends in the middle of its turn has failed, whatever reason it gives.
  const hasBrokenOff =
    event.isHeadless && session !== undefined && turnStart(session) > 0 && !isTurnOver(session)
  if (meaningOf(event).isOrdinaryEnd && !hasBrokenOff) {
    return `${event.client} gives the reason "${event.reason}" for every end`
  }
  // Some clients fire no hook when a person stops a turn.
  if (event.isInterrupted) return 'a person had stopped the last turn'
  // A session that fails to start gives another reason.
  const isVague = !event.isHeadless && /^other$/i.test(event.reason)
  const hasTurn = session !== undefined && (turnStart(session) > 0 || session.turnEnd !== undefined)
  if (!hasTurn && event.isAtRest && isVague) return 'no turn was running, as its transcript shows'
  if (!session) return undefined
  // A person resumed the session and left it again. After /new, droid reports two ends, seconds apart.
  const { endedAt = 0 } = session
  if (isVague && endedAt > turnStart(session) && endedAt < event.at) {
    return 'the session had ended before, and nothing was asked since'
  }
  if (!isTurnOver(session)) return undefined
  const { means } = session.turnEnd ?? {}
  if (means === 'Stop') return 'the last turn of the session had ended well'
  return means === 'Interrupt' ? 'a person had stopped the last turn' : undefined
}
