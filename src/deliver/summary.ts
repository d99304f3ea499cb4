import { type Asked, type Delivery, type Urgency, urgencies } from '../delivery.ts'
import { cutText } from '../text/clean.ts'

const MAX_LINES = 10
const MAX_LINE = 200

/** One delivery that tells of several, oldest first: what the first one says, and how many more. */
export function summarize(deliveries: readonly [Delivery, ...Delivery[]]): Delivery {
  const [first] = deliveries
  // Whose it is holds for the first alone.
  const { origin: _, ...message } = first.message
  const all = deliveries.flatMap(({ events }) => events)
  const shown = deliveries.slice(0, MAX_LINES).map(lineOf)
  const rest = all.length - shown.length
  const urgency = highest(deliveries.map((one) => one.urgency))
  const questions = deliveries.flatMap((one) => one.questions ?? [])
  return {
    ...first,
    events: all,
    urgency,
    ...(questions.length > 0 && { questions }),
    acceptedAt: Math.min(...deliveries.map(({ acceptedAt }) => acceptedAt)),
    expires: 0,
    attempts: 0,
    firstTriedAt: 0,
    message: {
      ...message,
      urgency,
      title: `${cutText(first.message.title, MAX_LINE)} and ${all.length - 1} more`,
      body: [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'),
      markup: '',
    },
  }
}

/** A message that takes the place of one that told of other questions, which are still open: it tells of them too. */
export function withOpenQuestions(delivery: Delivery, others: readonly Asked[]): Delivery {
  if (others.length === 0) return delivery
  const { message, events, questions } = delivery
  const title = questions?.[0]?.title ?? message.title
  const count = events.length - 1 + others.length
  const lines = others.slice(0, MAX_LINES).map(({ text }) => cutText(text, MAX_LINE))
  return {
    ...delivery,
    message: {
      ...message,
      title: `${title} and ${count} more`,
      body: [message.body, ...lines].filter(Boolean).join('\n'),
      markup: '',
    },
  }
}

/** The titles of questions are all alike. */
function lineOf({ message, questions }: Delivery): string {
  return cutText(questions?.[0]?.text ?? message.title, MAX_LINE)
}

/** The same message with a line before its text. */
export function withLine(delivery: Delivery, line: string): Delivery {
  const { message } = delivery
  const body = [line, message.body].filter(Boolean).join('\n')
  return { ...delivery, message: { ...message, body, markup: '' } }
}

function highest(all: readonly Urgency[]): Urgency {
  return urgencies.findLast((urgency) => all.includes(urgency)) ?? 'normal'
}
