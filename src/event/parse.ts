import { isUtf8 } from 'node:buffer'
import { type ParseError, parse as parseLeniently, printParseErrorCode } from 'jsonc-parser'
import type { Client } from '../clients/define.ts'
import { clients, findClient } from '../clients/index.ts'
import { HookbellError } from '../errors.ts'
import type { Header } from '../spool/event-file.ts'
import { oneLine, splitWords, startOf } from '../text/clean.ts'
import { nextDue } from '../text/schedule.ts'
import { mustBe } from '../text/zod-issue.ts'
import { clientOf, meaningFor, meaningOfName, surfaceOf } from './detect.ts'
import { type AgentEvent, type Failure, kindOf, type Question } from './event.ts'
import { failureOf } from './failure.ts'
import { fieldOf, isPayload, matches, type Payload, passes, textOf } from './payload.ts'
import {
  isDialog,
  questionInWords,
  questionOfDialog,
  questionOfTool,
  toolOfDialog,
  withSubject,
} from './question.ts'
import { aliases, type FieldType, inputs, otherInput, type ValuesOf } from './schema.ts'

/** Qwen Code also lists agents that are over (0.24.4, getBackgroundTaskSnapshot). A paused one waits for a person. */
const NOT_RUNNING = /^(completed|failed|cancelled|paused)$/i

const MINUTE_MS = 60_000

/** An agent that waits for something wakes up within an hour. What is due later is a reminder. */
const SOON_MS = 65 * MINUTE_MS

/** Longer than anybody reads; templates truncate further. */
const MAX_TEXT = 64 * 1024
const UNKNOWN = 'unknown'

interface Accepted {
  id: string
  at: number
  header: Header
  body: Buffer
  truncated: boolean
}

/**
 * Parses bytes into an event. Damaged JSON is read as far as possible.
 * @throws HookbellError E_EVENT if no event can be read; the message says what is wrong
 */
export function parseEvent(accepted: Accepted, abnormalReasons: readonly string[]): AgentEvent {
  const { at, id, header, body, truncated } = accepted
  const problems: string[] = []
  if (truncated) problems.push('larger than 1 MiB: the rest was cut')
  else if (!isUtf8(body)) problems.push('not valid UTF-8: some characters are lost')
  const raw = readObject(body, problems, (payload) => nameOf(payload) !== UNKNOWN)
  const name = nameOf(raw)
  const client = clientOf(header.client, raw)
  const reported = meaningOfName(client, name, raw)
  const surface = surfaceOf(client, header.env)
  const fields = readFields(raw, reported || name, client, problems)
  const texts = textsOf(fields, findClient(client))
  const means = meaningFor(reported, texts)
  const wakesAt = wakeUpOf(fields.session_crons, at)
  const failure =
    reported === 'StopFailure' ? failureOf(raw, at, texts.message || texts.lastMessage) : undefined
  const { tool, notificationType, reason } = texts
  const message = texts.message || inWords(failure, texts.lastMessage) || text(fields.task_error)
  const notice = noticeOf(client, notificationType)
  const clues = { name: means || name, message, notificationType, reason, notice }
  const kind = kindOf(clues, abnormalReasons)
  const asking = { client, tool, message, notificationType }
  const question = kind === 'permission' ? questionOf(asking, fields) : undefined
  return {
    ...texts,
    message: messageOf({ message, tool, means }, question, fields),
    ...{ id, at, client, name, means, kind, question, failure },
    ...(wakesAt !== undefined && { wakesAt }),
    ...(surface && { surface: surface.title }),
    isHeadless: isHeadlessRun(client, raw, header.env),
    env: header.env,
    problems,
  }
}

/** The client's code for a failure says little without the words in which it told the person. */
function inWords(failure: Failure | undefined, spoken: string): string {
  const reason = failure?.reason ?? ''
  const isCode = /^\w+$/.test(reason)
  if (!isCode || !spoken || spoken === reason) return reason
  return text(/^unknown/i.test(reason) ? spoken : `${reason}: ${spoken}`)
}

function noticeOf(client: string, notificationType: string) {
  const notices = findClient(client)?.notices ?? {}
  return Object.hasOwn(notices, notificationType) ? notices[notificationType] : undefined
}

function nameOf(raw: Payload): string {
  for (const field of ['hook_event_name', ...(aliases.hook_event_name ?? [])]) {
    const name = Object.hasOwn(raw, field) ? raw[field] : undefined
    if (typeof name === 'string' && name.trim()) return oneLine(name).slice(0, 64).toWellFormed()
  }
  const unnamed = Object.values(clients).flatMap((client) => [...client.unnamed])
  return unnamed.find(({ where }) => matches(raw, where))?.event ?? UNKNOWN
}

type Input<Name extends keyof typeof inputs> = ValuesOf<(typeof inputs)[Name]>

type Fields = ValuesOf<typeof otherInput> &
  Partial<Input<'Stop'> & Input<'SubagentStop'> & Input<'SessionEnd'>>

/** Leaves out a field of a wrong type, and adds it to `problems`. */
function readFields(raw: Payload, means: string, client: string, problems: string[]): Fields {
  const types = Object.hasOwn(inputs, means) ? inputs[means as keyof typeof inputs] : otherInput
  const found: Record<string, unknown> = {}
  for (const { field, type, names } of namedFields(types, findClient(client))) {
    const value = firstOf(raw, names)
    if (value === undefined) continue
    if (type.accepts(value)) found[field] = value
    else problems.push(`${field}: ${mustBe(type.expected, value)}`)
  }
  return found
}

function firstOf(raw: Payload, names: readonly string[]): unknown {
  for (const name of names) {
    const value = fieldOf(raw, name)
    if (value !== undefined) return value
  }
  return undefined
}

interface NamedField {
  field: string
  type: FieldType
  /** The names under which the field is looked up, in this order. */
  names: readonly string[]
}

/** Computed once per kind of input and client: there are few of both. */
const known = new Map<object, Map<Client | undefined, readonly NamedField[]>>()

function namedFields(
  types: Readonly<Record<string, FieldType>>,
  client: Client | undefined,
): readonly NamedField[] {
  const byClient = known.get(types) ?? new Map<Client | undefined, readonly NamedField[]>()
  known.set(types, byClient)
  const own = client?.fieldNames ?? {}
  const fields =
    byClient.get(client) ??
    Object.entries(types).map(([field, type]) => ({
      field,
      type,
      names: [...(own[field] ?? []), field, ...(aliases[field] ?? [])],
    }))
  byClient.set(client, fields)
  return fields
}

function textsOf(fields: Fields, client: Client | undefined) {
  const answer = fields.last_assistant_message ?? fields.task_result
  const noAnswer = client?.joinsAnswers?.none
  return {
    sessionId: text(fields.session_id),
    parentSessionId: text(fields.parent_session_id),
    cwd: text(fields.cwd),
    transcriptPath: text(fields.transcript_path),
    message: text(fields.message),
    lastMessage: answer === noAnswer ? '' : text(answer),
    prompt: text(fields.prompt || lastText(fields.input_messages)),
    notificationType: text(fields.notification_type),
    reason: text(fields.reason),
    tool: text(fields.tool_name) || toolOfDialog(fields.details) || toolIn(text(fields.message)),
    toolUseId: text(fields.tool_use_id),
    agent: text(fields.task_name ?? fields.agent_type),
    agentId: fields.agent_id === client?.mainAgent ? '' : text(fields.agent_id),
    turnId: text(String(fields.turn_id ?? '')),
    permissionMode: text(fields.permission_mode),
    model: text(fields.model),
    ...backgroundOf(fields.background_tasks),
    durationMs: fields.session_duration_ms,
  }
}

/** Claude Code's and droid's wording, where the payload has no field for it. */
function toolIn(message: string): string {
  return /\bneeds (?:your )?permission (?:to use|for) ([\w.:-]{1,64})/i.exec(message)?.[1] ?? ''
}

function lastText(list: readonly unknown[] | undefined): string {
  const last = list?.at(-1)
  return typeof last === 'string' ? last : ''
}

/** @returns undefined if only the transcript can show the question */
function questionOf(
  event: Pick<AgentEvent, 'client' | 'tool' | 'message' | 'notificationType'>,
  { tool_input, details, patterns, questions }: Fields,
): Question | undefined {
  const { client, tool, message, notificationType } = event
  if (isDialog(event) && findClient(client)?.asksInDialogs) return undefined
  // The second names a tool of another session, whose call this transcript does not have.
  if (isDialog(event) || /^worker_/i.test(notificationType)) return questionInWords(message)
  if (isPayload(details) && isFilled(details)) return questionOfDialog(tool, details)
  if (isFilled(tool_input) || patterns || questions) {
    const given = { patterns, questions, ...(tool_input as object | undefined) }
    return questionOfTool(tool, given, 'payload')
  }
  return undefined
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** Adds what the agent asks for, if the client's own words do not say it. */
function messageOf(
  { message, tool, means }: Pick<AgentEvent, 'message' | 'tool' | 'means'>,
  question: Question | undefined,
  fields: Fields,
): string {
  const isRequest = means === 'PermissionRequest' && message === ''
  if (isRequest && question && /^(question|plan)$/.test(question.about)) return question.subject
  const words = message || (isRequest && tool ? `The agent wants to use ${tool}` : '')
  const subject = (question ?? questionOfTool('', fields.tool_input, 'payload'))?.subject ?? ''
  return text(withSubject(words, subject))
}

/** Lone surrogates would make URL and header encoders throw later. */
function text(value: string | null | undefined): string {
  return startOf(value ?? '', MAX_TEXT)
}

/** How many of the listed tasks run in the background, and how many of these are agents. */
function backgroundOf(
  tasks: readonly unknown[] = [],
): Pick<AgentEvent, 'backgroundTasks' | 'backgroundAgents' | 'backgroundTeammates'> {
  const running = tasks.filter(
    (task) => !isPayload(task) || !NOT_RUNNING.test(textOf(task, 'status')),
  )
  const agents = running.filter(isPayload).filter(isAgent)
  const backgroundTeammates = agents.filter((task) => /teammate/i.test(textOf(task, 'type'))).length
  return {
    backgroundTasks: running.length,
    ...(agents.length > 0 && { backgroundAgents: agents.length }),
    ...(backgroundTeammates > 0 && { backgroundTeammates }),
  }
}

/** Tasks of Qwen Code have no type of their own: all are agents. */
function isAgent(task: Payload): boolean {
  const type = textOf(task, 'type')
  return type ? /agent|teammate|workflow/i.test(type) : textOf(task, 'agent_type') !== ''
}

/** Whether the session runs without a person, by the first of the client's marks that is present. */
function isHeadlessRun(
  client: string,
  payload: Payload,
  env: Readonly<Record<string, string>>,
): boolean | undefined {
  const marks = findClient(client)?.headless ?? []
  const markValue = (from: 'env' | 'payload', name: string) =>
    from === 'payload' ? fieldOf(payload, name) : Object.hasOwn(env, name) ? env[name] : undefined
  return marks.find(({ from, name, value }) => passes(markValue(from, name), value))?.isHeadless
}

/**
 * When the client goes on with the session by itself, because the agent has scheduled that for once and soon.
 * @param crons such as `{ schedule: '19 15 * * *', recurring: false }`, in the time of this machine
 * @returns Unix ms; undefined if it does not
 */
export function wakeUpOf(crons: readonly unknown[] = [], now: number): number | undefined {
  const due = crons
    .filter(isPayload)
    .filter(({ recurring }) => recurring === false)
    .map((one) => dueAfter(textOf(one, 'schedule'), now))
    .filter((at) => at <= now + SOON_MS)
  return due.length > 0 ? Math.min(...due) : undefined
}

/** @returns Infinity if the schedule is not for a minute and an hour */
function dueAfter(schedule: string, now: number): number {
  const [, minute, hour] = /^(\d{1,2}) (\d{1,2}) /.exec(schedule) ?? []
  if (minute === undefined || hour === undefined) return Number.POSITIVE_INFINITY
  // It may be due in the current minute.
  return nextDue({ at: `${hour}:${minute}` }, now - MINUTE_MS)
}

/**
 * Parses bytes into a JSON object. Damaged JSON is read as far as possible, and a line is added to `problems`.
 * @param isUsable whether a damaged object still contains enough
 * @throws HookbellError E_EVENT if no usable object can be read
 */
function readObject(
  body: Buffer,
  problems: string[],
  isUsable: (payload: Payload) => boolean,
): Payload {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new HookbellError('E_EVENT', 'the event is empty')
  const value = readJson(text, problems, isUsable)
  if (isPayload(value)) return value
  const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
  throw new HookbellError('E_EVENT', `the event is not a JSON object but ${what}`)
}

function readJson(
  text: string,
  problems: string[],
  isUsable: (payload: Payload) => boolean,
): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { value, fault } = readDamaged(text)
    if (!isPayload(value) || !isUsable(value)) {
      throw new HookbellError('E_EVENT', `the event is not JSON: ${fault}`)
    }
    problems.push(`damaged JSON, read as far as it goes: ${fault}`)
    return value
  }
}

/** Describes the fault in our own words: messages of JSON.parse quote the text, which may contain a secret. */
function readDamaged(text: string): { value?: unknown; fault: string } {
  const errors: ParseError[] = []
  try {
    const value = parseLeniently(text, errors, { allowTrailingComma: true })
    const [first] = errors
    if (!first) return { value, fault: 'a comment or a comma too many' }
    const what = splitWords(printParseErrorCode(first.error))
    return { value, fault: `${what} at character ${first.offset + 1}` }
  } catch {
    return { fault: 'nested too deeply to be repaired' }
  }
}
