import { isTurnOver } from '../turns.ts'
import { defineRule, send, suppress } from '../types.ts'

/** Suppresses the end of a session after the end, or the failure, of its last turn: it adds nothing to that. */
export const ends = defineRule({
  name: 'ends',
  isNoise: true,
  judge(event, { channel, on }, { session, noise }) {
    const isEnd = event.kind === 'ended' || event.kind === 'abnormal-end'
    if (!isEnd || !session?.turnEnd || !isTurnOver(session)) return send
    const { means, judged } = session.turnEnd
    if (!judged.includes(channel)) return send
    if (event.kind === 'abnormal-end') {
      return means === 'StopFailure' && !noise.abnormalReasons
        ? suppress('the failure of the last turn was already sent or suppressed on this channel')
        : send
    }
    // A route that names ends asks for them.
    return on === '*'
      ? suppress('the end of the last turn was already sent or suppressed on this channel')
      : send
  },
})
