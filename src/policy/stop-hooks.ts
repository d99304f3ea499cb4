import { ENDED_BEFORE } from './turns.ts'
import { defineRule, send } from './types.ts'

/** An agent that goes on ends its turn once more. If that does not happen, this is the only message about the turn. */
const HOLD_MINUTES = 30

/** Holds back the end of a turn at which a hook made the agent go on, until the turn really ends. */
export const stopHooks = defineRule({
  name: 'stop-hooks',
  isNoise: true,
  judge({ kind, means, at }, _, { now }) {
    if (kind !== 'done' || means !== 'StopRefused') return send
    const reason = 'a hook made the agent go on'
    // An event that waited for the worker may be followed by one that makes it old.
    const until = Math.max(at, now) + HOLD_MINUTES * 60_000
    return { type: 'hold', until, reason, group: '' }
  },
  review({ kind, at }, { session }) {
    const { refusals = [], turnEnd, endedAt = 0 } = session ?? {}
    if (kind !== 'done' || !refusals.includes(at)) return undefined
    if (Math.max(...refusals, turnEnd?.at ?? 0) > at) return 'the agent went on'
    return endedAt > at ? ENDED_BEFORE : undefined
  },
})
