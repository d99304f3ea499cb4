import { ENDED_BEFORE, hasEndedAfter } from '../turns.ts'
import { defineRule, send } from '../types.ts'

/** How late a client may go on, since it counts in whole minutes. */
const LATE_MS = 2 * 60_000

/**
 * Holds back the end of a turn after which the client soon goes on by itself, as the agent has scheduled, such as to look
 * at a build again: it is sent only if that does not happen. A question is sent at once.
 */
export const scheduled = defineRule({
  name: 'scheduled',
  isNoise: true,
  judge({ kind, wakesAt, asks, isHeadless }, _, { session }) {
    // A one-shot run may end with its first turn.
    if (kind !== 'done' || wakesAt === undefined || asks || isHeadless) return send
    // It was scheduled before: this is the end of a person's turn.
    if (wakesAt === session?.turnEnd?.wakesAt) return send
    const reason = 'the agent has scheduled when it goes on'
    return { type: 'hold', until: wakesAt + LATE_MS, reason, group: '' }
  },
  review({ kind, at }, { session }) {
    const { turnEnd, ownTurnAt = 0 } = session ?? {}
    if (kind !== 'done' || turnEnd?.at !== at || turnEnd.wakesAt === undefined) return undefined
    if (ownTurnAt > at) return 'the agent went on as scheduled'
    return hasEndedAfter(session, at) ? ENDED_BEFORE : undefined
  },
})
