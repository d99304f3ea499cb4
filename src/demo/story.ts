/** What the demo's agent does. Payloads are shaped as the droid client sends them. */
export interface Scene {
  /** Says in the report what the agent does. */
  says: string
  payload: { hook_event_name: string; [field: string]: unknown }
  /** The team's receiver is down, and comes back once an attempt has failed. */
  teamIsDown?: true
  /** It answers the open question, which the phone then shows no longer. */
  answers?: true
}

const SESSION = '7d3f9a52-6c1e-4b0a-9f4e-2a1b8c5d6e7f'
const OTHER_SESSION = '2c8e4b17-9d3a-4f60-8b5c-6e7f1a2d3c4b'

export function story(cwd: string, transcript: string): Scene[] {
  const common = {
    session_id: SESSION,
    transcript_path: transcript,
    cwd,
    permission_mode: 'auto-low',
    message_id: '0b6f1c2d-3e4f-4a5b-8c7d-9e0f1a2b3c4d',
  }
  const scene = (says: string, hook_event_name: string, fields: object = {}): Scene => ({
    says,
    payload: { ...common, hook_event_name, ...fields },
  })
  return [
    scene('The agent waits for you', 'Notification', {
      notification_type: 'idle_prompt',
      message: 'Droid is waiting for your input',
    }),
    scene('A sub-agent finishes', 'SubagentStop', {
      stop_hook_active: false,
      task_name: 'test-runner',
      task_result: '148 tests pass',
    }),
    scene('The task is done', 'Stop', {
      stop_hook_active: false,
      tool_execution_count: 12,
      elapsed_time: 0,
    }),
    scene('The agent asks for a permission', 'Notification', {
      notification_type: 'permission_prompt',
      message: 'Droid needs your permission to use Execute: npm run migrate',
    }),
    {
      ...scene('You answer the question', 'UserPromptSubmit', { prompt: 'Yes, run it' }),
      answers: true,
    },
    scene('The session ends as usual', 'SessionEnd', {
      reason: 'prompt_input_exit',
      session_duration_ms: 1_284_512.5,
      message_count: 42,
    }),
    {
      ...scene('Another one ends abnormally, while Slack is down', 'SessionEnd', {
        session_id: OTHER_SESSION,
        reason: 'error',
        session_duration_ms: 95_310.25,
        message_count: 6,
      }),
      teamIsDown: true,
    },
  ]
}

/** The conversation behind the finished task: from it come its duration and its last message. */
export function transcriptLines(now: number): string {
  const message = (minutesAgo: number, role: string, text: string) => ({
    type: 'message',
    id: `${role}-${minutesAgo}`,
    timestamp: new Date(now - minutesAgo * 60_000).toISOString(),
    message: { role, content: [{ type: 'text', text }] },
  })
  return [
    { type: 'session_start', id: SESSION, title: 'Retry failed webhooks', version: 2 },
    message(4, 'user', 'Retry failed webhooks with backoff'),
    message(0, 'assistant', 'Failed webhooks are retried with backoff now.\nAll 148 tests pass.'),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}
