import {
  type Asked,
  type Delivery,
  type Message,
  type Origin,
  type Urgency,
  urgencies,
} from '../delivery.ts'
import { cutText } from '../text/clean.ts'

const MAX_LINES = 10
const MAX_LINE = 200
/** How a summary says that there are others. */
const MORE = / and \d+ more$/
const ONLY_MORE = /^and \d+ more$/

/**
 * Combines deliveries, oldest first, into one: the title of the first of the most urgent ones, how many more, and one
 * line for each of the most urgent ones. A summary of several sessions belongs to none of them: it is neither withdrawn
 * nor replaced when one of them goes on.
 */
export function summarize(deliveries: readonly [Delivery, ...Delivery[]]): Delivery {
  const [first] = deliveries
  const { origin: _, ...message } = first.message
  const origin = sharedOrigin(deliveries)
  const places = {
    withHost: differ(deliveries, 'host'),
    withProject: differ(deliveries, 'project'),
  }
  const all = deliveries.flatMap(({ events }) => events)
  const byUrgency = [...deliveries].sort((one, other) => rankOf(other) - rankOf(one))
  const said = new Set<string>()
  const shown = mostUrgent(deliveries.flatMap((one) => linesOf(one, places, said)))
  const isOfOne = deliveries.every(({ session }) => session === first.session)
  const urgency = highest(deliveries.map((one) => one.urgency))
  const [lead = first] = byUrgency
  const questions = deliveries.flatMap((one) => one.questions ?? [])
  return {
    ...first,
    events: all,
    ...(!isOfOne && { session: first.id }),
    urgency,
    ...(questions.length > 0 && { questions }),
    acceptedAt: Math.min(...deliveries.map(({ acceptedAt }) => acceptedAt)),
    expires: 0,
    remaining: whoLacksOne(deliveries),
    attempts: 0,
    firstTriedAt: 0,
    message: {
      ...message,
      ...(origin && { origin }),
      client: shared(deliveries.map((one) => one.message.client)),
      ...(!isOfOne && { sessionId: '', cwd: shared(deliveries.map((one) => one.message.cwd)) }),
      urgency,
      kind: lead.message.kind,
      title: `${cutText(titleOf(lead), MAX_LINE)} and ${all.length - 1} more`,
      body: withRest(shown, all.length - shown.length).join('\n'),
      markup: '',
      ...(deliveries.some((one) => one.message.asks) && { asks: true }),
    },
  }
}

/**
 * The recipients who lack one of the messages; undefined for everybody. Some may read a line twice: better than never.
 */
function whoLacksOne(deliveries: readonly Delivery[]): string[] | undefined {
  const all = deliveries.map(({ remaining }) => remaining)
  return all.includes(undefined) ? undefined : [...new Set(all.flatMap((one) => one ?? []))]
}

/** Where all of them come from, as far as that is the same place; undefined if one of them has no origin. */
function sharedOrigin(deliveries: readonly Delivery[]): Origin | undefined {
  const origins = deliveries.flatMap(({ message }) => message.origin ?? [])
  if (origins.length < deliveries.length) return undefined
  const of = (name: keyof Origin) => shared(origins.map((origin) => origin[name]))
  const project = of('project')
  // Branches of two projects may have the same name.
  const branch = project && of('branch')
  return { label: of('label'), project, branch, host: of('host'), reply: of('reply') }
}

function differ(deliveries: readonly Delivery[], name: keyof Origin): boolean {
  return new Set(deliveries.map(({ message }) => message.origin?.[name] ?? '')).size > 1
}

/** The text that all have; '' if they differ. */
function shared([first = '', ...others]: readonly string[]): string {
  return others.every((other) => other === first) ? first : ''
}

/** Adds the questions of the message that this one replaces, as far as they are still open. */
export function withOpenQuestions(delivery: Delivery, others: readonly Asked[]): Delivery {
  if (others.length === 0) return delivery
  const { message, events } = delivery
  const texts = [message.body, ...linesOfQuestions(others)]
  const count = events.length + others.length
  return { ...delivery, message: combine(message, titleOf(delivery), count, texts) }
}

/** What a message said of its own events, without the open questions of others that it repeated. */
export type OwnPart = Pick<Delivery, 'events' | 'message'>

/** The message once some of its questions were answered, but not all: it contains only the others. */
export function withoutAnswered(
  told: OwnPart,
  questions: readonly Asked[],
  answered: readonly string[],
): Message {
  const { events, message } = told
  const isOwn = ({ id }: Asked) => events.includes(id)
  const isOpen = ({ id }: Asked) => !answered.includes(id)
  const open = questions.filter(isOpen)
  const others = open.filter((one) => !isOwn(one))
  const over = questions.filter((one) => isOwn(one) && !isOpen(one))
  const count = events.length - over.length
  const own = events.length > 1 ? linesWithout(message.body, over, count) : [message.body]
  const texts = [...(count > 0 ? own : []), ...linesOfQuestions(others)]
  // The question in the title may be answered.
  const before = titleOf(told)
  const isLeft = !over.some(({ title }) => title === before)
  const title = isLeft ? before : (open[0]?.title ?? own[0] ?? before)
  return combine(message, title, count + others.length, texts)
}

function combine(message: Message, title: string, count: number, texts: readonly string[]) {
  return {
    ...message,
    title: count > 1 ? `${title} and ${count - 1} more` : title,
    body: texts.filter(Boolean).join('\n'),
    markup: '',
  }
}

function linesOfQuestions(questions: readonly Asked[]): string[] {
  return questions.slice(0, MAX_LINES).map(lineOf)
}

function lineOf({ text }: Asked): string {
  return cutText(text, MAX_LINE)
}

/**
 * Removes the lines of the questions from a summary: one line for each, because two events may have the same line. The
 * project may precede it. @param count how many events are left
 */
function linesWithout(body: string, questions: readonly Asked[], count: number): string[] {
  const left = linesOfSummary(body)
  for (const line of questions.map(lineOf)) {
    const at = left.findIndex((one) => one === line || one.endsWith(` · ${line}`))
    if (at >= 0) left.splice(at, 1)
  }
  return withRest(left, count - left.length)
}

/** @param rest how many events have no line */
function withRest(lines: readonly string[], rest: number): string[] {
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])]
}

/** The title of what may itself be a summary, without its number. */
function titleOf({ events, message: { title } }: OwnPart): string {
  return events.length > 1 ? title.replace(MORE, '') : title
}

interface Line {
  text: string
  rank: number
}

/** Which places the lines of a summary must name, because they are not all the same. */
interface Places {
  withHost: boolean
  withProject: boolean
}

/** One line for each event, as far as a summary has one. @param said texts that an earlier line has */
function linesOf(delivery: Delivery, { withHost, withProject }: Places, said: Set<string>): Line[] {
  const { events, message } = delivery
  const host = withHost ? message.origin?.host : ''
  const texts =
    events.length > 1 ? linesOfSummary(message.body) : [textOf(delivery, withProject, said)]
  return texts.map((text) => ({
    text: cutText([host, text].filter(Boolean).join(' · '), MAX_LINE),
    rank: rankOf(delivery),
  }))
}

function linesOfSummary(body: string): string[] {
  return body.split('\n').filter((line) => !ONLY_MORE.test(line))
}

/**
 * For questions of one project their text, since their titles are all alike; otherwise also the title. What many sessions
 * say in the same words, such as that a limit is reached, is said once: there is room for more of their names.
 */
function textOf({ message, questions }: Delivery, withProject: boolean, said: Set<string>): string {
  const [first = ''] = message.body.split('\n', 1)
  const asked = withProject ? undefined : questions?.[0]?.text
  if (asked !== undefined) return asked
  // The line of a question stays when the one before it is answered.
  const isSaid = !questions && said.has(first)
  said.add(first)
  return [message.title, isSaid ? '' : first].filter(Boolean).join(' · ')
}

/** The most urgent of the lines, in the same order. */
function mostUrgent(lines: readonly Line[]): string[] {
  const told = new Set([...lines].sort((a, b) => b.rank - a.rank).slice(0, MAX_LINES))
  return lines.filter((line) => told.has(line)).map(({ text }) => text)
}

/** The same message with a line before its text. */
export function withLine(delivery: Delivery, line: string): Delivery {
  const { message } = delivery
  const body = [line, message.body].filter(Boolean).join('\n')
  return { ...delivery, message: { ...message, body, markup: '' } }
}

/** A question at the end of a turn counts more than the end alone. */
function rankOf({ urgency, message }: Delivery): number {
  return urgencies.indexOf(urgency) + (message.asks ? 0.5 : 0)
}

function highest(all: readonly Urgency[]): Urgency {
  return urgencies.findLast((urgency) => all.includes(urgency)) ?? 'normal'
}
