import { tookLess } from '../turns.ts'
import { defineRule, holdForAnswer, send, suppress } from '../types.ts'

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
    return asks && !isHeadless ? holdForAnswer(reason, at, now) : suppress(reason)
  },
})
