import { defineRule, holdForAnswer, send, suppress } from '../types.ts'

/**
 * Suppresses events that a person at the session's terminal sees there. A turn that ends with a question is sent if nobody has
 * answered for a minute. Off unless configured; sends if unknown.
 */
export const atTerminal = defineRule({
  name: 'at-terminal',
  isNoise: true,
  judge({ kind, at, asks, isAtTerminal }, _, { noise, now }) {
    if (!noise.skipAtTerminal || kind === 'permission' || isAtTerminal !== true) return send
    const reason = 'somebody is at its terminal'
    return kind === 'done' && asks ? holdForAnswer(reason, at, now) : suppress(reason)
  },
})
