import { addLimited } from '../../drop-oldest.ts'
import { isRepeat, mayRepeat } from '../../event/meaning.ts'
import { type Earlier, earlierOf } from '../sessions.ts'
import { definePolicy, type JudgeContext, type JudgedEvent, send, suppress } from '../types.ts'

/** More than follow each other within the time of any client. */
const MAX_OTHERS = 30

/** An event that one of another session may repeat. */
interface OfOther extends Earlier {
  client: string
  sessionId: string
}

/**
 * Suppresses the second event where a client reports one thing by two, such as a question by the request and, seconds
 * later, by a notification. A question is a repeat only on a channel that got the first event: better twice than never.
 */
export const repeats = definePolicy<OfOther[]>({
  name: 'repeats',
  isNoise: true,
  restore: (saved = []) => (Array.isArray(saved) ? saved : []),
  fold(others, entry) {
    const isFirst = entry.type === 'accepted' && !entry.duplicateOf && !entry.repeatOf
    if (!isFirst) return others
    const { client, sessionId, facts: { means = '' } = {} } = entry
    if (mayRepeat({ client, means }, true))
      addLimited(others, { ...earlierOf(entry), client, sessionId }, MAX_OTHERS)
    return others
  },
  judge(event, { channel }, others, context) {
    const first = findFirst(event, others, context)
    // No route is for that event, so no channel got it; but the person who stopped the turn knows.
    if (first?.means === 'Interrupt') return suppress('a person stopped the turn')
    const channels = event.kind === 'permission' ? first?.to : first?.judged
    if (!first || !channels?.includes(channel)) return send
    const which = `${first.id.slice(0, 8)} (${first.name})`
    return suppress(`repeats ${which}, which was already sent or suppressed on this channel`)
  },
  note(event, others, context) {
    const first = findFirst(event, others, context)
    return first ? { repeatOf: first.id } : {}
  },
})

function findFirst(
  event: JudgedEvent,
  others: readonly OfOther[],
  { session }: JudgeContext,
): Earlier | undefined {
  const { client, sessionId } = event
  const own = session?.firsts.map((first) => ({ ...first, client, sessionId })) ?? []
  return [...others, ...own].findLast(
    (first) => first.id !== event.id && isRepeat(first as Parameters<typeof isRepeat>[0], event),
  )
}
