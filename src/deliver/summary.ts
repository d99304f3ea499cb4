import { type Delivery, type Urgency, urgencies } from '../delivery.ts'
import { cutText } from '../text/clean.ts'

const MAX_LINES = 10
const MAX_LINE = 200

/** One delivery that tells of several, oldest first: what the first one says, and how many more. */
export function summarize(deliveries: readonly [Delivery, ...Delivery[]]): Delivery {
  const [first] = deliveries
  // Whose it is holds for the first alone.
  const { origin: _, ...message } = first.message
  const all = deliveries.flatMap(({ events }) => events)
  const titles = deliveries.map(({ message }) => cutText(message.title, MAX_LINE))
  const shown = titles.slice(0, MAX_LINES)
  const rest = all.length - shown.length
  const urgency = highest(deliveries.map((one) => one.urgency))
  return {
    ...first,
    events: all,
    urgency,
    acceptedAt: Math.min(...deliveries.map(({ acceptedAt }) => acceptedAt)),
    expires: 0,
    attempts: 0,
    firstTriedAt: 0,
    message: {
      ...message,
      urgency,
      title: `${titles[0]} and ${all.length - 1} more`,
      body: [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'),
      markup: '',
    },
  }
}

function highest(all: readonly Urgency[]): Urgency {
  return urgencies.findLast((urgency) => all.includes(urgency)) ?? 'normal'
}
