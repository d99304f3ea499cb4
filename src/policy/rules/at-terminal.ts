import { defineRule, send, suppress } from '../types.ts'

/** Suppresses events that a person at the session's terminal sees there. Off unless configured; sends if unknown. */
export const atTerminal = defineRule({
  name: 'at-terminal',
  isNoise: true,
  judge({ kind, isAtTerminal }, _, { noise }) {
    if (!noise.skipAtTerminal || kind === 'permission' || isAtTerminal !== true) return send
    return suppress('somebody is at its terminal')
  },
})
