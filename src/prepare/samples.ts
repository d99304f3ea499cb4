import type { EnrichedEvent } from '../context/enrich.ts'

export interface Sample {
  client: string
  payload: { hook_event_name: string; [field: string]: unknown }
  /** The fields that a transcript would add. */
  found?: Partial<EnrichedEvent>
}

const session = {
  title: 'Retry failed webhooks',
  firstPrompt: 'Webhooks that fail are lost. Please retry them.',
  model: 'sample-model',
}
const turn: Partial<EnrichedEvent> = {
  ...session,
  durationMs: 250_000,
  tokens: { input: 18_200, output: 2_900 },
  did: {
    tools: { Read: 7, Edit: 4, Bash: 5 },
    files: ['src/queue.ts', 'src/retry.ts', 'test/retry.test.ts'],
    commands: ['npm test', 'npm run lint', 'git status', 'git diff', 'git log'],
  },
}

/** One sample event of each sort, for previews. */
export const samples = {
  permission: {
    client: 'claude',
    payload: {
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'npm publish --tag next', description: 'Publish the new version' },
    },
    found: session,
  },
  question: {
    client: 'claude',
    payload: {
      hook_event_name: 'PermissionRequest',
      tool_name: 'AskUserQuestion',
      tool_input: {
        questions: [
          {
            question: 'Where should failed webhooks be kept?',
            header: 'Store',
            options: [
              { label: 'PostgreSQL', description: 'As all other data' },
              { label: 'Redis', description: 'Faster, one more service' },
            ],
          },
          {
            question: 'What should be logged?',
            header: 'Log',
            multiSelect: true,
            options: [{ label: 'Each try' }, { label: 'The last failure' }],
          },
        ],
      },
    },
    found: session,
  },
  waiting: {
    client: 'droid',
    payload: {
      hook_event_name: 'Notification',
      notification_type: 'idle_prompt',
      message: 'Droid is waiting for your input',
    },
    found: session,
  },
  done: {
    client: 'droid',
    payload: {
      hook_event_name: 'Stop',
      last_assistant_message: `I moved sending into a **queue**. What fails is tried again:

- after 2 s, then twice as late each time
- at most \`120\` times

| what | before | now |
|---|---|---|
| lost webhooks | 31 | 0 |

All 148 tests pass; see [the notes](https://example.com/retries).

Shall I remove the old sender as well?`,
    },
    found: turn,
  },
  'subagent-done': {
    client: 'droid',
    payload: {
      hook_event_name: 'SubagentStop',
      task_name: 'test-runner',
      task_result: 'All **148** tests pass.',
    },
    found: session,
  },
  failed: {
    client: 'claude',
    payload: {
      hook_event_name: 'StopFailure',
      error: 'rate_limit',
      error_details: 'You have hit your usage limit. Try again in 2 hours',
    },
    found: turn,
  },
  ended: {
    client: 'droid',
    payload: { hook_event_name: 'SessionEnd', reason: 'clear', session_duration_ms: 1_284_000 },
    found: session,
  },
  'abnormal-end': {
    client: 'droid',
    payload: { hook_event_name: 'SessionEnd', reason: 'error', session_duration_ms: 95_000 },
    found: session,
  },
} satisfies Record<string, Sample>

export type SampleName = keyof typeof samples
export const sampleNames = Object.keys(samples) as SampleName[]
