import { isTurnOver, whyKnown } from '../turns.ts'
import { defineRule, send, suppress } from '../types.ts'

/** Suppresses the end of a session where the end, or the failure, of its last turn was enough. */
export const ends = defineRule({
  name: 'ends',
  isNoise: true,
  judge(event, { channel, on }, { session, noise }) {
    if (!session?.turnEnd || !isTurnOver(session)) return send
    const { means } = session.turnEnd
    const adds =
      event.kind === 'abnormal-end'
        ? means !== 'StopFailure' || noise.abnormalReasons !== undefined
        : // A route that names ends asks for them.
          event.kind !== 'ended' || on !== '*'
    const why = adds ? undefined : whyKnown(session.turnEnd, channel, noise)
    return why === undefined ? send : suppress(why)
  },
})
