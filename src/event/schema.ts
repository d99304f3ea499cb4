import * as z from 'zod'

// One schema per hook event. Sources of the fields: the public hook references of the clients.
// Every field is optional: what a client leaves out or sends with a wrong type must not lose the event.

const text = z.string().optional()

const common = {
  hook_event_name: text,
  session_id: text,
  transcript_path: z.string().nullish(),
  cwd: text,
  permission_mode: text,
  message_id: text,
}

const stop = {
  ...common,
  stop_hook_active: z.boolean().optional(),
  last_assistant_message: z.string().nullish(),
  background_tasks: z.array(z.unknown()).optional(),
}

export const inputs = {
  Notification: z.object({ ...common, message: text, title: text, notification_type: text }),
  Stop: z.object({
    ...stop,
    tool_execution_count: z.number().optional(),
    // The unit is not documented, so nothing is derived from it.
    elapsed_time: z.number().optional(),
  }),
  SubagentStop: z.object({
    ...stop,
    agent_id: text,
    agent_type: text,
    agent_transcript_path: z.string().nullish(),
    task_name: text,
    task_result: z.string().nullish(),
    task_error: z.string().nullish(),
  }),
  SessionEnd: z.object({
    ...common,
    reason: text,
    session_duration_ms: z.number().nonnegative().optional(),
    message_count: z.number().optional(),
  }),
  PostToolUse: z.object({ ...common, tool_name: text, tool_use_id: text }),
} as const

/** What is read from any other event. */
export const otherInput = z.object({
  ...common,
  message: text,
  title: text,
  notification_type: text,
  reason: text,
  last_assistant_message: z.string().nullish(),
  error: text,
  error_details: text,
  tool_name: text,
  agent_type: text,
})

/** Other names under which clients send the same field; the first that is present is taken. */
export const aliases: Record<string, string[]> = {
  hook_event_name: ['hookEventName', 'event', 'type'],
  session_id: ['sessionId', 'conversation_id', 'thread_id', 'thread-id'],
  transcript_path: ['transcriptPath'],
  permission_mode: ['permissionMode'],
  message_id: ['messageId'],
  notification_type: ['notificationType'],
  stop_hook_active: ['stopHookActive'],
  last_assistant_message: ['lastAssistantMessage', 'last-assistant-message', 'prompt_response'],
  background_tasks: ['backgroundTasks'],
  agent_id: ['agentId'],
  agent_type: ['agentType'],
  task_name: ['taskName'],
  task_result: ['taskResult'],
  task_error: ['taskError'],
  reason: ['status', 'stop_reason'],
  session_duration_ms: ['sessionDurationMs'],
  message_count: ['messageCount'],
  tool_name: ['toolName'],
  tool_use_id: ['toolUseId'],
}

/** Names that other clients give to the same moment. */
export const eventNames: Record<string, string> = {
  AfterAgent: 'Stop',
  agentStop: 'Stop',
  stop: 'Stop',
  'agent-turn-complete': 'Stop',
  'session.idle': 'Stop',
  notification: 'Notification',
  subagentStop: 'SubagentStop',
  sessionEnd: 'SessionEnd',
}
