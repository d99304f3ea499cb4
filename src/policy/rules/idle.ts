import { meaningOf } from '../../event/meaning.ts'
import { isAnswered } from '../questions.ts'
import type { Session } from '../sessions.ts'
import { ANSWER_MS, ENDED_BEFORE, isTurnOver } from '../turns.ts'
import { defineRule, type JudgedEvent, send, suppress } from '../types.ts'

const ENDED_TURN = 'the end of the turn was already sent or suppressed on this channel'

/**
 * Suppresses the notice that the agent waits after the end of its turn, sent or suppressed: it is not news. But if
 * that end was suppressed and asked something, nobody has answered for the client's idle time.
 */
export const idle = defineRule({
  name: 'idle',
  isNoise: true,
  judge(event, { channel }, { session, now }) {
    if (event.kind !== 'waiting' || !meaningOf(event).isIdle) return send
    if (wasStopped(event, session)) return suppress('a person stopped the turn before')
    if (!session?.turnEnd || !isTurnOver(session)) {
      // qwen sends the notice at once, and no other event if a person pressed Esc: that person needs no message.
      const until = Math.max(event.at, now) + ANSWER_MS
      const reason = 'a person may just have stopped the turn'
      return meaningOf(event).isAnswer ? { type: 'hold', until, reason, group: '' } : send
    }
    const { judged, to = judged, asks = false } = session.turnEnd
    // A channel without a route for the end of a turn has not got it.
    if (!judged.includes(channel) || (asks && !to.includes(channel))) return send
    return suppress(ENDED_TURN)
  },
  review({ kind, at, channel }, { session }) {
    if (kind !== 'waiting' || !session) return undefined
    if ((session.endedAt ?? 0) > at) return ENDED_BEFORE
    const { turnEnd } = session
    return turnEnd && turnEnd.at >= at && turnEnd.judged.includes(channel) ? ENDED_TURN : undefined
  },
})

function wasStopped(event: JudgedEvent, session: Session | undefined): boolean {
  if (event.isInterrupted) return true
  if (!session) return false
  if (isTurnOver(session) && session.turnEnd?.means === 'Interrupt') return true
  // For qwen the notice is the answer to a question that a person cancelled.
  return meaningOf(event).isAnswer && session.questions.some((one) => !isAnswered(session, one))
}
