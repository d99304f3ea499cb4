import { defineRule, send, suppress } from './types.ts'

/** Whoever is at the terminal of the session sees it there. Off unless configured; what is not known is told. */
export const atTerminal = defineRule({
  name: 'at-terminal',
  isNoise: true,
  judge({ kind, isAtTerminal }, _, { noise }) {
    if (!noise.skipAtTerminal || kind === 'permission' || isAtTerminal !== true) return send
    return suppress('somebody is at its terminal')
  },
})
