import { clients } from '../clients/index.ts'
import { canonicalEvents } from '../clients/vocabulary.ts'

/**
 * What a field of a payload may hold. Not zod: loading it and creating the schemas takes longer than everything else
 * that is done for an event, and only these few types have to be checked.
 */
export interface FieldType<Value = unknown> {
  accepts(value: unknown): value is Value
  /** What it must be, in words. */
  expected: string
}

/** The values that are read from fields; each may be missing. */
export type ValuesOf<Fields> = {
  [Name in keyof Fields]?: Fields[Name] extends FieldType<infer Value> ? Value : never
}

const text: FieldType<string> = {
  accepts: (value) => typeof value === 'string',
  expected: 'a string',
}

const nullableText: FieldType<string | null> = {
  accepts: (value) => value === null || typeof value === 'string',
  expected: 'a string',
}

const textOrNumber: FieldType<string | number> = {
  accepts: (value): value is string | number => typeof value === 'string' || Number.isFinite(value),
  expected: 'a string',
}

const count: FieldType<number> = {
  accepts: (value): value is number => Number.isFinite(value) && Number(value) >= 0,
  expected: 'a number of at least 0',
}

const list: FieldType<unknown[]> = {
  accepts: (value) => Array.isArray(value),
  expected: 'an array',
}

const anything: FieldType = { accepts: (_value): _value is unknown => true, expected: '' }

// The fields that are read of each hook event. Sources: the public hook references of the clients, and what they were
// seen to send. Every field is optional: what a client leaves out or sends with a wrong type must not lose the event.

const common = {
  hook_event_name: text,
  session_id: text,
  transcript_path: nullableText,
  cwd: text,
  permission_mode: text,
  turn_id: textOrNumber,
  model: text,
  agent_type: text,
  agent_id: text,
  parent_session_id: text,
  details: anything,
  patterns: list,
  questions: list,
}

const stop = {
  ...common,
  last_assistant_message: nullableText,
  background_tasks: list,
  session_crons: list,
}

const tool = { tool_name: text, tool_use_id: text, tool_input: anything }

export const inputs = {
  Notification: {
    ...common,
    tool_name: text,
    message: text,
    notification_type: text,
  },
  Stop: {
    ...stop,
    prompt: text,
    input_messages: list,
  },
  SubagentStop: {
    ...stop,
    task_name: text,
    task_result: nullableText,
    task_error: nullableText,
  },
  SessionEnd: {
    ...common,
    reason: text,
    // Not an integer: fractions of a millisecond are common.
    session_duration_ms: count,
  },
  PostToolUse: { ...common, ...tool },
} as const

/** What is read from any other event. */
export const otherInput = {
  ...common,
  ...tool,
  message: text,
  notification_type: text,
  reason: text,
  last_assistant_message: nullableText,
  prompt: text,
}

/** Other names under which clients send the same field; the first that is present is taken. */
export const aliases: Readonly<Record<string, readonly string[]>> = {
  hook_event_name: ['hookEventName', 'event', 'type'],
  session_id: ['sessionId', 'sessionID', 'conversation_id', 'thread_id', 'thread-id'],
  transcript_path: ['transcriptPath'],
  permission_mode: ['permissionMode'],
  turn_id: ['turnId', 'turn-id'],
  notification_type: ['notificationType'],
  last_assistant_message: ['lastAssistantMessage', 'last-assistant-message', 'prompt_response'],
  background_tasks: ['backgroundTasks'],
  agent_type: ['agentType'],
  agent_id: ['agentId'],
  task_name: ['taskName'],
  task_result: ['taskResult'],
  task_error: ['taskError'],
  reason: ['status', 'stop_reason'],
  session_duration_ms: ['sessionDurationMs'],
  tool_name: ['toolName'],
  tool_use_id: ['toolUseId'],
  tool_input: ['toolInput'],
  parent_session_id: ['parentSessionId', 'parentID', 'parent_id'],
  prompt: ['submitted_prompt'],
  input_messages: ['input-messages'],
}

/** Meanings that no client uses as the name of an event. */
const ownNames: readonly string[] = ['Internal', 'PermissionReplied', 'TurnStart']

/** Names of clients, as the front door adds them to events. */
export const knownClients: readonly string[] = Object.keys(clients)

/** Event names that clients are known to send. */
export const knownEvents: readonly string[] = [
  ...new Set([
    ...Object.keys(inputs),
    ...Object.values(clients).flatMap(({ aliases, events }) => [
      ...Object.keys(aliases),
      ...events,
    ]),
    ...canonicalEvents.filter((name) => !ownNames.includes(name)),
    'PostToolUseFailure',
    'PreCompact',
    'PostCompact',
  ]),
]
