import { isUtf8 } from 'node:buffer'
import { type ParseError, parse as parseLeniently, printParseErrorCode } from 'jsonc-parser'
import type * as z from 'zod'
import { HookbellError } from '../errors.ts'
import type { Header } from '../spool/header.ts'
import { oneLine, splitWords } from '../text/clean.ts'
import { issueInWords } from '../text/zod-issue.ts'
import type { AgentEvent } from './event.ts'
import { kindOf } from './kind.ts'
import { aliases, eventNames, inputs, otherInput } from './schema.ts'

/** More than anybody reads; what templates show is cut further. */
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
 * Bytes to an event. Damaged JSON is read as far as it goes.
 * @throws HookbellError E_EVENT where nothing can be made of the bytes; the message says what is wrong
 */
export function parseEvent(accepted: Accepted, abnormalReasons: readonly string[]): AgentEvent {
  const problems: string[] = []
  if (accepted.truncated) problems.push('larger than 1 MiB: the rest was cut')
  else if (!isUtf8(accepted.body)) problems.push('not valid UTF-8: some characters are lost')
  const raw = readObject(accepted.body, problems)
  const name = nameOf(raw)
  const knownName = eventNames.get(name) ?? name
  const fields = readFields(raw, knownName, problems)
  const { at, id, header } = accepted
  const event = {
    ...toEvent(fields),
    id,
    at,
    client: header.client,
    name,
    env: header.env,
    problems,
  }
  if (!event.message && name === 'PermissionRequest' && event.tool) {
    event.message = `The agent wants to use ${event.tool}`
  }
  event.message = withSubject(event.message, fields)
  return { ...event, kind: kindOf({ ...event, name: knownName }, abnormalReasons) }
}

function readObject(body: Buffer, problems: string[]): Record<string, unknown> {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new HookbellError('E_EVENT', 'the event is empty')
  const value = readJson(text, problems)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
    throw new HookbellError('E_EVENT', `the event is not a JSON object but ${what}`)
  }
  return value as Record<string, unknown>
}

function readJson(text: string, problems: string[]): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { value, fault } = readDamaged(text)
    if (value === undefined) throw new HookbellError('E_EVENT', `the event is not JSON: ${fault}`)
    problems.push(`damaged JSON, read as far as it goes: ${fault}`)
    return value
  }
}

/** The fault is described in our words: those of JSON.parse quote the text, and a secret may be in it. */
function readDamaged(text: string): { value?: unknown; fault: string } {
  const errors: ParseError[] = []
  try {
    const value = parseLeniently(text, errors, { allowTrailingComma: true })
    const [first] = errors
    const what = first
      ? splitWords(printParseErrorCode(first.error))
      : 'a comment or a comma too many'
    const fault = first ? `${what} at character ${first.offset + 1}` : what
    const isUsable = isPlainObject(value) && nameOf(value) !== UNKNOWN
    return isUsable ? { value, fault } : { fault }
  } catch {
    return { fault: 'nested too deeply to be mended' }
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(raw: Record<string, unknown>): string {
  for (const field of ['hook_event_name', ...(aliases.hook_event_name ?? [])]) {
    const name = Object.hasOwn(raw, field) ? raw[field] : undefined
    if (typeof name === 'string' && name.trim()) return oneLine(name).slice(0, 64).toWellFormed()
  }
  return UNKNOWN
}

/** Only known names are looked up, as own properties: a payload cannot reach a prototype. */
function pick(raw: Record<string, unknown>, field: string): unknown {
  const names = [field, ...(aliases[field] ?? [])]
  const name = names.find((one) => Object.hasOwn(raw, one))
  if (name !== undefined) return raw[name]
  // opencode keeps it one level down.
  const inner = Object.hasOwn(raw, 'properties') ? raw.properties : undefined
  return field === 'session_id' && isPlainObject(inner) ? pick(inner, field) : undefined
}

type Input<Name extends keyof typeof inputs> = z.output<(typeof inputs)[Name]>

type Fields = z.output<typeof otherInput> &
  Partial<Input<'Stop'> & Input<'SubagentStop'> & Input<'SessionEnd'>>

/** A field of a wrong type is left out and named as a problem. */
function readFields(raw: Record<string, unknown>, name: string, problems: string[]): Fields {
  const schema = Object.hasOwn(inputs, name) ? inputs[name as keyof typeof inputs] : otherInput
  const found: Record<string, unknown> = {}
  for (const field of Object.keys(schema.shape)) {
    const value = pick(raw, field)
    if (value !== undefined) found[field] = value
  }
  const result = schema.safeParse(found)
  if (result.success) return result.data as Fields
  for (const issue of result.error.issues) {
    const field = String(issue.path[0])
    problems.push(`${issue.path.join('.')}: ${issueInWords(issue, found[field])}`)
    delete found[field]
  }
  return schema.parse(found) as Fields
}

function toEvent(fields: Fields) {
  return {
    sessionId: text(fields.session_id),
    cwd: text(fields.cwd),
    transcriptPath: text(fields.transcript_path),
    message: text(fields.message || fields.error_details || fields.error || fields.task_error),
    lastMessage: text(fields.last_assistant_message ?? fields.task_result),
    prompt: text(fields.prompt || lastText(fields.input_messages)),
    notificationType: text(fields.notification_type),
    reason: text(fields.reason),
    tool: text(fields.tool_name),
    agent: text(fields.task_name ?? fields.agent_type),
    backgroundTasks: fields.background_tasks?.length ?? 0,
    durationMs: fields.session_duration_ms,
  }
}

function lastText(list: readonly unknown[] | undefined): string {
  const last = list?.at(-1)
  return typeof last === 'string' ? last : ''
}

/** What the agent asks for, where the client's own words do not say it: the command, the file or the address. */
function withSubject(message: string, { tool_input, details }: Fields): string {
  if (!message) return message
  const subject = [details, tool_input].map(subjectOf).find((one) => one !== '')
  return !subject || message.includes(subject) ? message : text(`${message}: ${subject}`)
}

function subjectOf(facts: unknown): string {
  if (!isPlainObject(facts)) return ''
  for (const name of ['command', 'file_path', 'filePath', 'url']) {
    const value = Object.hasOwn(facts, name) ? facts[name] : undefined
    if (typeof value === 'string' && value.trim()) return text(value.trim())
  }
  return ''
}

/** Lone surrogates would make URL and header encoders throw later. */
function text(value: string | null | undefined): string {
  return (value ?? '').slice(0, MAX_TEXT).toWellFormed()
}
