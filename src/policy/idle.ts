import { isTurnOver } from './sessions.ts'
import { defineRule, send, suppress } from './types.ts'

/** Suppresses the notice that the agent waits after the end of its turn, sent or suppressed: it is not news. */
export const idle = defineRule({
  name: 'idle',
  isNoise: true,
  judge({ kind }, { channel }, { session }) {
    if (kind !== 'waiting' || !session?.turnEnd || !isTurnOver(session)) return send
    const { means, judged } = session.turnEnd
    if (means === 'Interrupt') return suppress('a person stopped the turn before')
    // A channel without a route for the end of a turn has not heard of it.
    return judged.includes(channel)
      ? suppress('the end of the turn was already sent or suppressed on this channel')
      : send
  },
})
