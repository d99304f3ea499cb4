import { isTurnOver } from './sessions.ts'
import { defineRule, send, suppress } from './types.ts'

/** That the agent waits is nothing new after the end of its turn, whether that was told or was not worth it. */
export const idle = defineRule({
  name: 'idle',
  isNoise: true,
  judge({ kind }, { channel }, { session }) {
    if (kind !== 'waiting' || !session?.turnEnd || !isTurnOver(session)) return send
    const { means, judged } = session.turnEnd
    if (means === 'Interrupt') return suppress('a person stopped the turn before')
    // On a channel that has no route for the end of a turn, this is the first that it hears.
    return judged.includes(channel) ? suppress('the end of the turn was judged before') : send
  },
})
