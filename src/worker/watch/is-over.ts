import { ONE_SHOT_MS } from '../../deliver/message-life.ts'
import { isAnswered } from '../../policy/questions.ts'
import type { Session } from '../../policy/sessions.ts'
import { replaces } from '../../policy/turns.ts'
import type { Shown } from '../../spool/store.ts'

/** Whether a shown message is answered or outdated. */
export function isNoLongerTrue(session: Session, shown: Shown): boolean {
  const { questions, tellsMore = questions.length === 0 } = shown
  return (
    questions.every((one) => isAnswered(session, one)) && (!tellsMore || isOutdated(session, shown))
  )
}

/**
 * A failure or the end of a turn is outdated once the session goes on after the last event that was known when it was
 * sent.
 */
function isOutdated(session: Session, { at, knownAt = at, channel, asks = false }: Shown): boolean {
  const { promptAt, ownTurnAt, turnEnd, answeredAt, isHeadless } = session
  const endedAt = turnEnd?.at ?? 0
  // The client took a turn of its own, whose end does not replace this message: it still shows the session's state.
  const isOwnTurn = ownTurnAt > Math.max(at, promptAt)
  const isReplaced = turnEnd !== undefined && replaces(turnEnd, { channel, asks })
  const isAside = isOwnTurn && endedAt > at && !isReplaced
  const since = isAside ? endedAt : at
  const graceMs = isHeadless === false ? 0 : ONE_SHOT_MS
  return (
    Math.max(promptAt, isAside ? 0 : endedAt) > Math.max(at, knownAt) ||
    answeredAt > Math.max(since + graceMs, knownAt)
  )
}
