import { findClient } from '../../clients/index.ts'
import type { QuestionEnd } from '../../journal/history.ts'
import { endOf } from '../questions.ts'
import { isOver, type Session } from '../sessions.ts'
import { ENDED_BEFORE } from '../turns.ts'
import { defineRule, type HeldEvent, send } from '../types.ts'

/**
 * The recorded reason for a question that is not sent because it is answered. Must not change: `simulate` finds it in
 * journals.
 */
export const ANSWERED_BEFORE = 'answered before it was told'

/** The recorded reason for a question that is not sent because it has ended. */
export function whyNotAsked({ how }: Pick<QuestionEnd, 'how'>): string {
  return how === 'none' ? ENDED_BEFORE : ANSWERED_BEFORE
}

/** The same for any other event. */
export const WENT_ON_BEFORE = 'a person went on with the session before it was told'

/**
 * Holds the questions of a client that may answer them itself at once, as when it runs without a terminal. Any held
 * delivery, whatever the reason, is dropped if it was answered meanwhile, or if the end of a later turn of the session
 * is sent or held instead.
 */
export const answeredAtOnce = defineRule({
  name: 'answered-at-once',
  isNoise: true,
  judge({ kind, client, at, isHeadless }) {
    const { holdQuestionMs = 0, holdUnattendedQuestionMs = 0 } = findClient(client) ?? {}
    const ms = isHeadless ? Math.max(holdQuestionMs, holdUnattendedQuestionMs) : holdQuestionMs
    if (kind !== 'permission' || ms === 0) return send
    const reason = `${client} may answer by itself within ${ms / 1000} s`
    return { type: 'hold', until: at + ms, reason, group: '' }
  },
  review(held, { session }) {
    const end = session && held.kind === 'permission' ? endOf(session, held) : undefined
    if (end) return whyNotAsked(end)
    if (isOver(session, held)) return WENT_ON_BEFORE
    return isFollowed(held, session) ? 'a later turn of its session is told' : undefined
  },
})

/** Whether a later turn of the session was sent to the channel, or is held for it. */
function isFollowed({ kind, at, channel }: HeldEvent, session: Session | undefined): boolean {
  const { turnEnd } = session ?? {}
  return (
    kind === 'done' &&
    turnEnd !== undefined &&
    turnEnd.at > at &&
    turnEnd.to?.includes(channel) === true
  )
}
