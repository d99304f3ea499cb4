import { meaningOf } from '../../event/meaning.ts'
import { ENDED_BEFORE } from '../held.ts'
import { isAnswered } from '../questions.ts'
import type { Session } from '../sessions.ts'
import { isTurnOver, whyKnown } from '../turns.ts'
import { defineRule, type JudgedEvent, send, suppress } from '../types.ts'

/** As long as clients wait that send this notice later than at once. */
const HOLD_MS = 60_000

/** Suppresses the notice that the agent waits where the end of its turn was enough. */
export const idle = defineRule({
  name: 'idle',
  isNoise: true,
  judge(event, { channel }, { session, noise, now }) {
    if (event.kind !== 'waiting' || !meaningOf(event).isIdle) return send
    if (wasStopped(event, session)) return suppress('a person stopped the turn before')
    if (!session?.turnEnd || !isTurnOver(session)) {
      // qwen sends the notice at once, and no other event if a person pressed Esc: that person needs no message.
      const until = Math.max(event.at, now) + HOLD_MS
      const reason = 'a person may just have stopped the turn'
      return meaningOf(event).isAnswer ? { type: 'hold', until, reason, group: '' } : send
    }
    const why = whyKnown(session.turnEnd, channel, noise)
    return why === undefined ? send : suppress(why)
  },
  review({ kind, at, channel }, { session, noise }) {
    if (kind !== 'waiting' || !session) return undefined
    if (session.endedAt > at) return ENDED_BEFORE
    const { turnEnd } = session
    return turnEnd && turnEnd.at >= at ? whyKnown(turnEnd, channel, noise) : undefined
  },
})

function wasStopped(event: JudgedEvent, session: Session | undefined): boolean {
  if (event.isInterrupted) return true
  if (!session) return false
  if (isTurnOver(session) && session.turnEnd?.means === 'Interrupt') return true
  // For qwen the notice is the answer to a question that a person cancelled.
  return meaningOf(event).isAnswer && session.questions.some((one) => !isAnswered(session, one))
}
