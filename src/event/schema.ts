import { clients } from '../clients/index.ts'
import { canonicalEvents } from '../clients/vocabulary.ts'
import { anything, count, flag, list, nullableText, text, textOrNumber } from './field-type.ts'

// The fields of each hook event. Sources: the public hook references of the clients, and what they were seen to send.
// Every field is optional: what a client leaves out or sends with a wrong type must not lose the event.

const common = {
  hook_event_name: text,
  session_id: text,
  transcript_path: nullableText,
  cwd: text,
  permission_mode: text,
  message_id: text,
  prompt_id: text,
  turn_id: text,
  timestamp: textOrNumber,
  model: text,
  effort: anything,
  agent_id: text,
  agent_type: text,
  error: anything,
  parent_session_id: text,
  details: anything,
  patterns: list,
}

const stop = {
  ...common,
  stop_hook_active: flag,
  last_assistant_message: nullableText,
  background_tasks: list,
  session_crons: list,
}

const tool = { tool_name: text, tool_use_id: text, tool_input: anything, tool_response: anything }

export const inputs = {
  Notification: {
    ...common,
    tool_name: text,
    message: text,
    title: text,
    notification_type: text,
  },
  Stop: {
    ...stop,
    prompt: text,
    tool_execution_count: count,
    // The unit is not documented, so nothing is derived from it.
    elapsed_time: count,
    context_usage: count,
    context_limit: count,
    input_tokens: count,
    input_messages: list,
  },
  SubagentStop: {
    ...stop,
    agent_transcript_path: nullableText,
    task_name: text,
    task_result: nullableText,
    task_error: nullableText,
  },
  SessionEnd: {
    ...common,
    reason: text,
    // Not an integer: fractions of a millisecond are common.
    session_duration_ms: count,
    message_count: count,
  },
  PostToolUse: { ...common, ...tool, duration_ms: count },
} as const

/** What is read from any other event. */
export const otherInput = {
  ...common,
  ...tool,
  message: text,
  title: text,
  notification_type: text,
  reason: text,
  last_assistant_message: nullableText,
  error_details: text,
  agent_transcript_path: nullableText,
  prompt: text,
}

/** Other names under which clients send the same field; the first that is present is taken. */
export const aliases: Readonly<Record<string, readonly string[]>> = {
  hook_event_name: ['hookEventName', 'event', 'type'],
  session_id: ['sessionId', 'sessionID', 'conversation_id', 'thread_id', 'thread-id'],
  transcript_path: ['transcriptPath'],
  permission_mode: ['permissionMode'],
  message_id: ['messageId'],
  prompt_id: ['promptId'],
  turn_id: ['turnId', 'turn-id'],
  notification_type: ['notificationType'],
  stop_hook_active: ['stopHookActive'],
  last_assistant_message: ['lastAssistantMessage', 'last-assistant-message', 'prompt_response'],
  background_tasks: ['backgroundTasks'],
  session_crons: ['crons'],
  tool_execution_count: ['toolExecutionCount'],
  elapsed_time: ['elapsedTime'],
  agent_id: ['agentId'],
  agent_type: ['agentType'],
  agent_transcript_path: ['agentTranscriptPath'],
  task_name: ['taskName'],
  task_result: ['taskResult'],
  task_error: ['taskError'],
  reason: ['status', 'stop_reason'],
  session_duration_ms: ['sessionDurationMs'],
  message_count: ['messageCount'],
  tool_name: ['toolName'],
  tool_use_id: ['toolUseId'],
  tool_input: ['toolInput'],
  tool_response: ['toolResponse'],
  duration_ms: ['durationMs'],
  error_details: ['errorDetails', 'error_message'],
  parent_session_id: ['parentSessionId', 'parentID', 'parent_id'],
  prompt: ['submitted_prompt'],
  input_messages: ['input-messages'],
}

/** Event names that clients are known to send. */
export const knownEvents: readonly string[] = [
  ...new Set([
    ...Object.keys(inputs),
    ...Object.values(clients).flatMap(({ aliases, events }) => [
      ...Object.keys(aliases),
      ...events,
    ]),
    ...canonicalEvents.filter((name) => name !== 'Internal' && name !== 'PermissionReplied'),
    'PostToolUseFailure',
    'PreCompact',
    'PostCompact',
  ]),
]
