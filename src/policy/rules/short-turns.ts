import { tookLess } from '../turns.ts'
import { defineRule, send, suppress } from '../types.ts'

/** As long as clients wait that report by themselves that nobody answers. */
const ANSWER_MS = 60_000

/**
 * Suppresses short turns: a person who waits a few seconds is still looking. A turn of unknown length is sent. One that
 * ends with a question is sent if nobody has answered for a minute; nobody answers a one-shot run.
 */
export const shortTurns = defineRule({
  name: 'short-turns',
  isNoise: true,
  judge({ kind, at, asks, isHeadless, durationMs: ms }, _, { noise: { minSeconds }, now }) {
    if (kind !== 'done' || ms === undefined || ms >= minSeconds * 1000) return send
    const reason = `the turn ${tookLess(ms, minSeconds)}`
    if (!asks || isHeadless) return suppress(reason)
    // If the event waited for the worker, counted from now: a later event that outdates it may be waiting too.
    const until = Math.max(at, now) + ANSWER_MS
    const why = `${reason}; its question is told if nobody answers in a minute`
    return { type: 'hold', until, reason: why, group: '', expects: 'notice' }
  },
})
