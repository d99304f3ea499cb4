import { parse as parseLeniently } from 'jsonc-parser'
import type * as z from 'zod'
import { HookbellError } from '../errors.ts'
import type { Header } from '../spool/header.ts'
import type { AgentEvent } from './event.ts'
import { kindOf } from './kind.ts'
import { aliases, eventNames, inputs, otherInput } from './schema.ts'

/** More than anybody reads; what templates show is cut further. */
const MAX_TEXT = 64 * 1024

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
  const raw = readObject(accepted.body, problems)
  const name = nameOf(raw)
  const fields = readFields(raw, eventNames[name] ?? name, problems)
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
  const clues = { ...event, name: eventNames[name] ?? name }
  return { ...event, kind: kindOf(clues, abnormalReasons) }
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
  } catch (error) {
    const value = readDamaged(text)
    const reason = oneLine((error as Error).message)
    if (value === undefined) throw new HookbellError('E_EVENT', `the event is not JSON: ${reason}`)
    problems.push(`damaged JSON, read as far as it goes: ${reason}`)
    return value
  }
}

/** @returns undefined where not even an event name can be found */
function readDamaged(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value = parseLeniently(text, [], { allowTrailingComma: true })
    return nameOf(value) === 'unknown' ? undefined : value
  } catch {
    // Nested too deeply for a recursive parser.
    return undefined
  }
}

function nameOf(raw: Record<string, unknown>): string {
  const name = pick(raw, 'hook_event_name')
  return typeof name === 'string' && name.trim() ? oneLine(name).slice(0, 64) : 'unknown'
}

/** Only known names are looked up, as own properties: a payload cannot reach a prototype. */
function pick(raw: Record<string, unknown>, field: string): unknown {
  for (const name of [field, ...(aliases[field] ?? [])]) {
    if (Object.hasOwn(raw, name)) return raw[name]
  }
  return undefined
}

type Fields = z.output<typeof otherInput> &
  Partial<z.output<(typeof inputs)['SubagentStop']> & z.output<(typeof inputs)['SessionEnd']>>

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
    problems.push(`${issue.path.join('.')}: ${issue.message}`)
    delete found[String(issue.path[0])]
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
    notificationType: text(fields.notification_type),
    reason: text(fields.reason),
    tool: text(fields.tool_name),
    agent: text(fields.task_name ?? fields.agent_type),
    durationMs: fields.session_duration_ms,
  }
}

/** Lone surrogates would make URL and header encoders throw later. */
function text(value: string | null | undefined): string {
  return (value ?? '').slice(0, MAX_TEXT).toWellFormed()
}

function oneLine(value: string): string {
  return value.replace(/\s+/g, ' ').slice(0, 200).toWellFormed()
}
