import { lastJudgedAt } from '../sessions.ts'
import { ENDED_BEFORE } from '../turns.ts'
import { defineRule, send } from '../types.ts'

/**
 * An agent that goes on ends its turn once more. If that does not happen, such as because it was killed, this is the
 * only message about the turn. Few turns take longer: their agent would be reported as done while it works.
 */
const HOLD_HOURS = 2

interface GoingOn {
  name: string
  /** The end of a turn after which the agent goes on. */
  means: 'StopRefused' | 'StopQueued'
  reason: string
}

/**
 * A rule that holds back the end of a turn after which the agent goes on, until a later event shows the state of the
 * session.
 */
export function defineHoldUntilNextEnd({ name, means: wanted, reason }: GoingOn) {
  return defineRule({
    name,
    isNoise: true,
    judge({ means, at }, _, { now }) {
      if (means !== wanted) return send
      // If the event waited for the worker, counted from now: a later event that outdates it may be waiting too.
      const until = Math.max(at, now) + HOLD_HOURS * 3600_000
      return { type: 'hold', until, reason, group: '' }
    },
    review({ kind, at, channel }, { session }) {
      const { wentOnAt = [], turnEnd, endedAt = 0 } = session ?? {}
      if (kind !== 'done' || !session || !wentOnAt.includes(at)) return undefined
      const latest = Math.max(...wentOnAt, turnEnd?.at ?? 0, lastJudgedAt(session, channel))
      if (latest > at) return 'the agent went on'
      return endedAt > at ? ENDED_BEFORE : undefined
    },
  })
}
