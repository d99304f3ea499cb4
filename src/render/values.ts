import { agentName } from '../clients/index.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { Deeds } from '../context/turn.ts'
import type { Clearance } from '../delivery.ts'
import { type Block, blocksOf, inOrder } from '../event/answer-blocks.ts'
import type { Question } from '../event/event.ts'
import { explain } from '../event/failure.ts'
import { type Headline, headline } from '../event/headline.ts'
import { howToAnswer } from '../event/question.ts'
import { cleanText, cutMiddle, cutText, oneLine, startOf } from '../text/clean.ts'
import { counted } from '../text/counted.ts'
import { formatDuration } from '../text/duration.ts'
import { formatTime } from '../text/local-time.ts'
import { redact, redactStart } from '../text/redact/redact.ts'
import { shortSession } from '../text/short-session.ts'
import {
  asCode,
  Formatted,
  fromMarkdown,
  loadMarkdown,
  mayHaveMarkdown,
  type ReadMarkdown,
} from './markdown.ts'

const MAX_LINE = 200

/** The maximum length of a text, by clearance: whole messages, only what matters, or nothing. */
const MAX_TEXT = { full: 2000, summary: 600, minimal: 0 } as const

/** Of a longer answer only the start and the end are read. */
const MAX_ANSWER = 16 * 1024

const MAX_OPENING = 4 * 1024

const MAX_LISTED = 20

export interface ValueDeps {
  secrets: readonly string[]
  /** The name of this machine. */
  host: string
  /** Absent if no text has Markdown. */
  read?: ReadMarkdown | undefined
}

/** Short enough for a title, whose end says what happened. */
const MAX_PROJECT = 40
const MAX_LABEL = 60
const MAX_PROMPT = 120
const MAX_CHANGED = 120
/** Several questions may be longer, but not endless. */
const MAX_QUESTIONS = 2000

/** A parser for the Markdown in an event's texts; undefined if they have none. */
export async function markdownReaderFor({
  lastMessage,
  question,
}: EnrichedEvent): Promise<ReadMarkdown | undefined> {
  const texts = [lastMessage, question && isSpoken(question) ? question.subject : '']
  return mayHaveMarkdown(texts) ? await loadMarkdown() : undefined
}

type Value = string | Formatted

/** All values that a template can use, and how they are made: truncated, without secrets and control characters. */
const makers = {
  who: (from) =>
    [agentName(from.event.client), projectOf(from)].filter(Boolean).join(' · ') ||
    from.event.client,
  project: (from) => projectOf(from) || from.event.client,
  client: ({ event }) => event.client,
  event: (from) => from.line(from.event.name),
  kind: ({ event }) => event.kind,
  message: (from) => from.text(from.event.message),
  headline: (from) => from.formatted(from.said.text),
  rest: (from) => from.formatted(from.rest),
  last_message: (from) => from.formatted(from.lastMessage),
  asks: ({ said }) => (said.isQuestion ? 'yes' : ''),
  about: ({ event: { question } }) => question?.about ?? '',
  asked: askedOf,
  change: changeOf,
  detail: (from) => from.text(from.event.question?.detail ?? ''),
  choices: choicesOf,
  prompt: (from) =>
    from.text(from.event.prompt, from.clearance === 'summary' ? MAX_PROMPT : undefined),
  notification_type: (from) => from.line(from.event.notificationType),
  reason: (from) => from.line(from.event.reason),
  means: ({ event }) => explain(event).means,
  advice: ({ event }) => explain(event).advice,
  limit: ({ event: { failure } }) => (failure?.isLimit ? 'yes' : ''),
  resets: ({ event: { failure, at } }) =>
    failure?.resetsAt === undefined ? '' : moment(failure.resetsAt, at),
  failed: ({ event: { kind, message } }) => (kind === 'subagent-done' && message ? 'yes' : ''),
  tool: (from) => from.line(from.event.tool),
  agent: (from) => from.line(from.event.agent, MAX_LABEL),
  subagent: subagentOf,
  background: ({ event: { backgroundTasks: tasks } }) => (tasks > 0 ? counted(tasks, 'task') : ''),
  duration: ({ event }) => durationOf(event),
  did: ({ event }) => didOf(event.did, durationOf(event)),
  files: (from) => from.lines(from.event.did.files),
  commands: (from) => from.lines(from.event.did.commands),
  tools: (from) =>
    from.lines(Object.entries(from.event.did.tools).map(([name, times]) => `${name} ${times}`)),
  tokens_in: ({ event: { tokens } }) => (tokens ? String(tokens.input) : ''),
  tokens_out: ({ event: { tokens } }) => (tokens ? String(tokens.output) : ''),
  model: (from) => from.line(from.event.model),
  branch: (from) => from.line(from.event.branch),
  host: (from) => from.line(from.deps.host),
  label: (from) =>
    from.clearance === 'minimal'
      ? from.session
      : from.line(nameOf(from.event), MAX_LABEL) || from.session,
  cwd: (from) => from.line(from.event.cwd),
  session: ({ session }) => session,
  session_id: (from) => from.line(from.event.sessionId),
  time: ({ event }) => moment(event.at),
  problem: (from) => from.line(from.event.problems.join('; ')),
} satisfies Record<string, (from: Source) => Value>

export type ValueName = keyof typeof makers

export const valueNames = Object.keys(makers) as readonly ValueName[]

/** Text that the agent wrote or chose: its messages, names of sub-agents, commands, paths. */
const agentText: ReadonlySet<ValueName> = new Set([
  'message',
  'headline',
  'rest',
  'last_message',
  'asked',
  'change',
  'detail',
  'choices',
  'prompt',
  'tool',
  'agent',
  'subagent',
  'files',
  'commands',
  'tools',
  'problem',
])

/** The names in a template, cached because the same few templates are rendered again and again. */
const known = new Map<string, readonly ValueName[]>()

/** The values for a clearance. Each is made when it is first used: a template uses a few of many. */
export class Values {
  readonly #source: Source
  readonly #known = new Map<ValueName, Value>()

  constructor(event: EnrichedEvent, clearance: Clearance, deps: ValueDeps) {
    this.#source = new Source(event, clearance, deps)
  }

  get(name: ValueName): Value {
    const value = this.#known.get(name) ?? (this.#isHidden(name) ? '' : makers[name](this.#source))
    this.#known.set(name, value)
    return value
  }

  /** Plain data for a template, with all values that it names. */
  for(template: string): Readonly<Record<string, Value>> {
    const names = known.get(template) ?? valueNames.filter((name) => template.includes(name))
    known.set(template, names)
    return Object.fromEntries(names.map((name) => [name, this.get(name)]))
  }

  #isHidden(name: ValueName): boolean {
    const { clearance, event } = this.#source
    if (clearance === 'full') return false
    if (clearance === 'summary') return name === 'files' || name === 'commands'
    return agentText.has(name) || (name === 'reason' && !/^[\w.-]{1,40}$/.test(event.reason))
  }
}

function projectOf(from: Source): string {
  return cutMiddle(from.line(from.event.project), MAX_PROJECT)
}

/** A session may itself run under the name of an agent: only the ids show a sub-agent. */
function subagentOf(from: Source): string {
  const { agent, agentId, parentSessionId } = from.event
  if (agentId === '' && parentSessionId === '') return ''
  return ['Sub-agent', from.line(agent, MAX_LABEL)].filter(Boolean).join(' ')
}

function askedOf(from: Source): Formatted {
  const { question } = from.event
  if (!question || !isSpoken(question)) return asCode(from.command(question?.subject ?? ''))
  const { subject, count = 1 } = question
  const words = from.text(subject, Math.min(from.maxText * count, MAX_QUESTIONS))
  return from.formatted(words && words + howToAnswer(question, count, count))
}

/** How many lines of a change are shown: both ends, because what is removed comes before what is added. */
const [FIRST_LINES, LAST_LINES] = [6, 4]

function changeOf(from: Source): Formatted {
  const change = redact(cleanText(from.event.question?.change ?? ''), from.deps.secrets)
  const lines = change.split('\n').map((line) => cutText(line, MAX_CHANGED))
  const left = lines.length - FIRST_LINES - LAST_LINES
  const shown =
    left > 1
      ? [...lines.slice(0, FIRST_LINES), `… ${left} more lines`, ...lines.slice(-LAST_LINES)]
      : lines
  return asCode(cutMiddle(shown.join('\n'), from.maxText))
}

function choicesOf(from: Source): Formatted {
  const choices = (from.event.question?.choices ?? []).map((one) => from.text(one, MAX_LINE))
  return new Formatted((markup) =>
    choices.length > 0 ? markup.parts.list(choices.map(markup.escape), 1) : '',
  )
}

/**
 * `4 min`; or `2 h 1 min (up to 2 h of it waiting for you)` if the work alone would read differently. "Up to", because most
 * clients do not tell when a tool was allowed, only when it has ended.
 */
function durationOf({ durationMs, waitingMs = 0 }: EnrichedEvent): string {
  if (durationMs === undefined) return ''
  const whole = atLeast(durationMs)
  if (atLeast(durationMs - waitingMs) === whole) return whole
  return `${whole} (up to ${formatDuration(waitingMs)} of it waiting for you)`
}

/** Rounded down: a turn that took less than a limit must not look like one that reached it. */
function atLeast(ms: number): string {
  const unitMs = ms < 60_000 ? 1000 : 60_000
  return formatDuration(Math.floor(ms / unitMs) * unitMs)
}

/** @param from leaves out the date if `at` is on the same day as this moment */
function moment(at: number, from?: number): Formatted {
  const words = formatTime(at)
  const isSameDay = from !== undefined && formatTime(from).slice(0, 10) === words.slice(0, 10)
  return new Formatted(({ parts }) => parts.moment(at, isSameDay ? words.slice(11) : words))
}

/** `3 files, 5 commands, 4 min`; '' if nothing was done. */
function didOf({ files, commands, tools }: Deeds, duration: string): string {
  const calls = Object.values(tools).reduce((sum, times) => sum + times, 0)
  const counts = [
    ...(files.length > 0 ? [counted(files.length, 'file')] : []),
    ...(commands.length > 0 ? [counted(commands.length, 'command')] : []),
  ]
  if (counts.length === 0 && calls > 0) counts.push(counted(calls, 'tool call'))
  return counts.length > 0 ? [...counts, duration].filter(Boolean).join(', ') : ''
}

function isSpoken({ about }: Question): boolean {
  return about === 'question' || about === 'plan'
}

/** The name by which a person knows the session. Even the title may be text of the agent. */
export function nameOf({ title, firstPrompt, prompt }: EnrichedEvent): string {
  return title || firstPrompt || prompt
}

/** The source of template values: an event, with its texts truncated and redacted. */
class Source {
  readonly event: EnrichedEvent
  readonly clearance: Clearance
  readonly deps: ValueDeps
  #said: Headline | undefined
  #redacted: string | undefined

  constructor(event: EnrichedEvent, clearance: Clearance, deps: ValueDeps) {
    this.event = event
    this.clearance = clearance
    this.deps = deps
  }

  /** The maximum length of a text. */
  get maxText(): number {
    return MAX_TEXT[this.clearance]
  }

  get isFull(): boolean {
    return this.clearance === 'full'
  }

  /** The headline of the agent's answer. */
  get said(): Headline {
    this.#said ??= headline(this.#answer)
    return this.#said
  }

  /** What the headline of an answer lacks. */
  get rest(): string {
    const blocks = blocksOf(this.said.rest)
    if (this.isFull) return inOrder(blocks, this.maxText)
    if (!this.said.isQuestion) return ''
    return inOrder(blocks.filter(isProse), this.maxText - this.said.text.length)
  }

  /** The whole answer in its order. */
  get lastMessage(): string {
    if (this.isFull) return inOrder(blocksOf(this.#answer), this.maxText)
    const { text, isQuestion } = this.said
    return isQuestion ? [this.rest, text].filter(Boolean).join('\n\n') : text
  }

  get #answer(): string {
    this.#redacted ??= redact(bothEndsOf(cleanText(this.event.lastMessage)), this.deps.secrets)
    return this.#redacted
  }

  get session(): string {
    return shortSession(this.line(this.event.sessionId))
  }

  line(text: string, max = MAX_LINE): string {
    return cutText(redactStart(oneLine(text), max, this.deps.secrets), max)
  }

  lines(list: readonly string[]): string {
    const more = list.length > MAX_LISTED ? [`and ${list.length - MAX_LISTED} more`] : []
    return [...list.slice(0, MAX_LISTED).map((one) => this.line(one)), ...more].join('\n')
  }

  text(value: string, max = this.maxText): string {
    return cutText(redactStart(cleanText(value), max, this.deps.secrets).trim(), max)
  }

  /** The start and the end of a command: what follows the last `&&` may be what matters. */
  command(value: string): string {
    return cutMiddle(redact(cleanText(value), this.deps.secrets).trim(), this.maxText)
  }

  formatted(markdown: string): Formatted {
    return fromMarkdown(markdown, this.deps.read, this.deps.secrets)
  }
}

/** Cut between words: a key that is cut in half would not be recognized. Code that the cut leaves open ends there. */
function bothEndsOf(text: string): string {
  if (text.length <= MAX_ANSWER) return text
  const opening = startOf(text, MAX_OPENING)
  const start = /\s/.test(opening) ? opening : ''
  const isOpen = (start.match(/^\s*(`{3,}|~{3,})/gm) ?? []).length % 2 === 1
  const end = text.slice(MAX_OPENING - MAX_ANSWER)
  const words = end.slice(end.search(/\s/) + 1).toWellFormed()
  return `${start}${isOpen ? '\n```' : ''}\n\n${words}`.trimStart()
}

function isProse({ type }: Block): boolean {
  return type !== 'code'
}
