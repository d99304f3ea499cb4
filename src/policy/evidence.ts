import type { EnrichedEvent } from '../context/enrich.ts'
import type { Kind } from '../event/kind.ts'
import { meaningOf } from '../event/meaning.ts'
import { isTurnOver, type Session } from './sessions.ts'

/**
 * Some clients end every good one-shot run with a reason that sounds like a crash. With evidence of an ordinary end it
 * is one, whatever the reason says; without any it stays abnormal.
 * @returns undefined where the kind stands
 */
export function kindByEvidence(
  event: EnrichedEvent,
  session: Session | undefined,
  /** Reasons that a person declared abnormal: then no evidence counts against them. */
  ownReasons: readonly string[] | undefined,
): { kind: Kind; because: string } | undefined {
  if (event.kind !== 'abnormal-end' || ownReasons) return undefined
  const because = evidenceOfOrder(event, session)
  return because === undefined ? undefined : { kind: 'ended', because }
}

function evidenceOfOrder(event: EnrichedEvent, session: Session | undefined): string | undefined {
  if (meaningOf(event).isOrdinaryEnd) {
    return `${event.client} gives the reason "${event.reason}" for every end`
  }
  if (!session || !isTurnOver(session)) return undefined
  const { means } = session.turnEnd ?? {}
  if (means === 'Stop') return 'the last turn of the session had ended well'
  return means === 'Interrupt' ? 'a person had stopped the last turn' : undefined
}
