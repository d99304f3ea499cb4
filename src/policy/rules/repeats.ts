import { isRepeat } from '../../event/meaning.ts'
import type { Earlier } from '../sessions.ts'
import { defineRule, type JudgeContext, type JudgedEvent, send, suppress } from '../types.ts'

/**
 * Suppresses the second event where a client reports one thing by two, such as a question by the request and, seconds
 * later, by a notification. A question is a repeat only on a channel that got the first event: better twice than never.
 */
export const repeats = defineRule({
  name: 'repeats',
  isNoise: true,
  judge(event, { channel }, context) {
    const first = findFirst(event, context)
    // No route is for that event, so no channel got it; but the person who stopped the turn knows.
    if (first?.means === 'Interrupt') return suppress('a person stopped the turn')
    const channels = event.kind === 'permission' ? first?.to : first?.judged
    if (!first || !channels?.includes(channel)) return send
    const which = `${first.id.slice(0, 8)} (${first.name})`
    return suppress(`repeats ${which}, which was already sent or suppressed on this channel`)
  },
  note(event, context) {
    const first = findFirst(event, context)
    return first ? { repeatOf: first.id } : {}
  },
})

function findFirst(event: JudgedEvent, { session }: JudgeContext): Earlier | undefined {
  const { client, sessionId } = event
  return session?.firsts.findLast(
    (first) =>
      first.id !== event.id &&
      isRepeat({ client, sessionId, ...first } as Parameters<typeof isRepeat>[0], event),
  )
}
