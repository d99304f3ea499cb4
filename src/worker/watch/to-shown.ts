import type { Asked, Delivery } from '../../delivery.ts'
import type { Shown } from '../../spool/store.ts'

interface How extends Pick<Shown, 'handle' | 'knownAt'> {
  /** The open questions that it repeats. */
  others: readonly Asked[]
  /** Whether its text can be replaced. */
  canUpdate: boolean
}

/** What to remember of a message that is shown. */
export function toShown(delivery: Delivery, { others, canUpdate, ...how }: How): Shown {
  const { channel, session, events, kind, acceptedAt: at, message, sessionEnv } = delivery
  const { client, sessionId } = message
  const { questions = [] } = delivery
  const [event = ''] = events
  const isOfSeveral = events.length + others.length > 1
  return {
    ...{ channel, session, event, client, sessionId, kind, at, sessionEnv },
    ...how,
    questions: [...questions, ...others],
    tellsMore: events.length > questions.length,
    ...(message.asks && { asks: true }),
    ...(canUpdate && isOfSeveral && { told: { events, message } }),
  }
}
