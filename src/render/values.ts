import type { Deeds } from '../context/deeds.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { Clearance } from '../delivery.ts'
import type { Question } from '../event/event.ts'
import { headline } from '../event/headline.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { formatTime } from '../text/local-time.ts'
import { redact, redactStart } from '../text/redact.ts'
import { formatDuration } from './duration.ts'
import { Formatted } from './formatted.ts'
import {
  asCode,
  fromMarkdown,
  loadMarkdown,
  mayHaveMarkdown,
  type ReadMarkdown,
} from './markdown.ts'

const MAX_LINE = 200
const MAX_LABEL = 60
/** Of a text, where whole messages are shown, and where only what matters is. */
const MAX_TEXT = { full: 2000, summary: 600, minimal: 0 } as const
/** Of a longer answer only the end is looked at for what matters. */
const MAX_ANSWER = 16 * 1024
const MAX_PROMPT = 120
const MAX_LISTED = 20

/** All that a template can see. */
export const valueNames = [
  'project',
  'client',
  'event',
  'kind',
  'message',
  'headline',
  'rest',
  'last_message',
  'asks',
  'about',
  'asked',
  'detail',
  'choices',
  'prompt',
  'notification_type',
  'reason',
  'limit',
  'resets',
  'failed',
  'tool',
  'agent',
  'background',
  'duration',
  'did',
  'files',
  'commands',
  'tools',
  'tokens_in',
  'tokens_out',
  'model',
  'branch',
  'host',
  'label',
  'cwd',
  'session',
  'session_id',
  'time',
  'problem',
] as const

export type Values = Record<(typeof valueNames)[number], string | Formatted>

/** Words of the agent, and what it made up: names of sub-agents, commands, paths. */
const agentText = [
  'message',
  'headline',
  'rest',
  'last_message',
  'asked',
  'detail',
  'choices',
  'prompt',
  'tool',
  'agent',
  'files',
  'commands',
  'tools',
  'problem',
] as const satisfies readonly (keyof Values)[]

export interface ValueDeps {
  secrets: readonly string[]
  /** The name of this machine. */
  host: string
  /** Absent where no text has Markdown. */
  read?: ReadMarkdown | undefined
}

/** What reads the Markdown in an event's texts; undefined where there is none. */
export async function markdownReaderFor({
  lastMessage,
  question,
}: EnrichedEvent): Promise<ReadMarkdown | undefined> {
  const texts = [lastMessage, question && isSpoken(question) ? question.subject : '']
  return mayHaveMarkdown(texts) ? await loadMarkdown() : undefined
}

/** What a template can see at a clearance: bounded, and free of secrets and control characters. */
export function valuesOf(event: EnrichedEvent, clearance: Clearance, deps: ValueDeps): Values {
  const { secrets } = deps
  const line = (text: string, max = MAX_LINE) =>
    cutText(redactStart(oneLine(text), max, secrets), max)
  const session = line(event.sessionId).slice(0, 8).toWellFormed()
  const values = {
    ...facts(event, line),
    session,
    ...doings(event, line),
    ...texts(event, clearance, deps),
    host: line(deps.host),
    label: clearance === 'minimal' ? session : line(nameOf(event), MAX_LABEL) || session,
  }
  if (clearance === 'full') return values
  if (clearance === 'summary') return { ...values, files: '', commands: '' }
  const isWord = /^[\w.-]{1,40}$/.test(event.reason)
  const none = Object.fromEntries(agentText.map((name) => [name, '']))
  return { ...values, ...none, ...(!isWord && { reason: '' }) }
}

type Line = (text: string, max?: number) => string

function facts(event: EnrichedEvent, line: Line) {
  const { failure } = event
  return {
    project: line(event.project) || event.client,
    client: event.client,
    event: line(event.name),
    kind: event.kind,
    notification_type: line(event.notificationType),
    reason: line(event.reason),
    limit: failure?.isLimit ? 'yes' : '',
    resets: failure?.resetsAt === undefined ? '' : moment(failure.resetsAt, event.at),
    failed: event.kind === 'subagent-done' && event.message ? 'yes' : '',
    tool: line(event.tool),
    agent: line(event.agent),
    branch: line(event.branch),
    model: line(event.model),
    cwd: line(event.cwd),
    session_id: line(event.sessionId),
    time: moment(event.at),
    problem: line(event.problems.join('; ')),
  }
}

/** @param from without the date where that is on the same day */
function moment(at: number, from?: number): Formatted {
  const words = formatTime(at)
  const isSameDay = from !== undefined && formatTime(from).slice(0, 10) === words.slice(0, 10)
  return new Formatted(({ parts }) => parts.moment(at, isSameDay ? words.slice(11) : words))
}

function doings({ did, durationMs, backgroundTasks, tokens }: EnrichedEvent, line: Line) {
  const lines = (list: readonly string[]) =>
    [
      ...list.slice(0, MAX_LISTED).map((one) => line(one)),
      ...(list.length > MAX_LISTED ? [`and ${list.length - MAX_LISTED} more`] : []),
    ].join('\n')
  const duration = durationMs === undefined ? '' : formatDuration(durationMs)
  return {
    background: backgroundTasks > 0 ? count(backgroundTasks, 'task') : '',
    duration,
    did: didOf(did, duration),
    files: lines(did.files),
    commands: lines(did.commands),
    tools: lines(Object.entries(did.tools).map(([name, times]) => `${name} ${times}`)),
    tokens_in: tokens ? String(tokens.input) : '',
    tokens_out: tokens ? String(tokens.output) : '',
  }
}

/** `3 files, 5 commands, 4 min`; '' where nothing was done. */
function didOf({ files, commands, tools }: Deeds, duration: string): string {
  const calls = Object.values(tools).reduce((sum, times) => sum + times, 0)
  const counts = [
    ...(files.length > 0 ? [count(files.length, 'file')] : []),
    ...(commands.length > 0 ? [count(commands.length, 'command')] : []),
  ]
  if (counts.length === 0 && calls > 0) counts.push(count(calls, 'tool call'))
  return counts.length > 0 ? [...counts, duration].filter(Boolean).join(', ') : ''
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`
}

function texts(event: EnrichedEvent, clearance: Clearance, { secrets, read }: ValueDeps) {
  const max = MAX_TEXT[clearance]
  const text = (value: string, most: number = max) =>
    cutText(redactStart(cleanText(value), most, secrets).trim(), most)
  const formatted = (value: string) => fromMarkdown(value, read, secrets)
  const said = headline(redact(endOf(cleanText(event.lastMessage)), secrets))
  const isFull = clearance === 'full'
  const { question } = event
  const subject = text(question?.subject ?? '')
  const choices = (question?.choices ?? []).map((one) => text(one, MAX_LINE))
  return {
    message: text(event.message),
    headline: formatted(said.text),
    rest: formatted(isFull ? cutText(said.rest, max) : ''),
    last_message: formatted(isFull ? text(event.lastMessage) : said.text),
    asks: said.isQuestion ? 'yes' : '',
    about: question?.about ?? '',
    asked: question && isSpoken(question) ? formatted(subject) : asCode(subject),
    detail: text(question?.detail ?? ''),
    choices: new Formatted((markup) =>
      choices.length > 0 ? markup.parts.list(choices.map(markup.escape), 1) : '',
    ),
    prompt: text(event.prompt, clearance === 'summary' ? MAX_PROMPT : max),
  }
}

function isSpoken({ about }: Question): boolean {
  return about === 'question' || about === 'plan'
}

/** The last part of a long text, from the start of a word: half a key has no known shape. */
function endOf(text: string): string {
  if (text.length <= MAX_ANSWER) return text
  const end = text.slice(-MAX_ANSWER)
  return end.slice(end.search(/\s/) + 1).toWellFormed()
}

/** What a person knows the session by. Also a title may be the agent's. */
function nameOf({ title, firstPrompt, prompt }: EnrichedEvent): string {
  return title || firstPrompt || prompt
}
