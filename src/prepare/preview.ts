import { optionsOf } from '../config/channels.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import { HookbellError } from '../errors.ts'
import { type AgentEvent, kinds } from '../event/event.ts'
import { parseEvent } from '../event/parse.ts'
import type { AcceptedEntry } from '../journal/entry.ts'
import { type Composed, DeliveryError } from '../notifiers/define.ts'
import { notifierOf } from '../notifiers/index.ts'
import { Renderer } from '../render/render.ts'
import type { Templates } from '../render/templates.ts'
import { markdownReaderFor } from '../render/values.ts'
import { route, routeTo } from '../route/route.ts'
import { makeDelivery } from './prepare.ts'

interface Sample {
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
const samples = {
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

/** What a preview needs from this machine. */
interface PreviewDeps {
  templates: Templates
  host: string
  cwd: string
  /** Unix ms. */
  now: number
}

/** The event to preview. */
export type Source =
  | { type: 'sample'; name: SampleName }
  | { type: 'payload'; body: Buffer; client: string }
  | { type: 'recorded'; entry: AcceptedEntry }

interface Preview {
  /** What would be sent; absent if the notifier has no `compose`. */
  composed?: Composed
  /** What is wrong with the templates. */
  problems: readonly string[]
}

/**
 * Shows what a channel would get for an event, with the routes, templates and notifiers that are used to send it.
 * @throws HookbellError E_EVENT if the payload is not an event, E_CONFIG if the channel could send nothing as it is
 * configured
 */
export async function previewOf(
  source: Source,
  channel: string,
  loaded: LoadedConfig,
  deps: PreviewDeps,
): Promise<Preview> {
  const { config, secrets } = loaded
  const { host, now, templates } = deps
  const event = await eventOf(source, loaded, deps)
  const read = await markdownReaderFor(event)
  const { candidates } = route(event, config, { host, now })
  const chosen = candidates.find((one) => one.channel === channel)
  const [only] = routeTo(channel, event).candidates
  const renderer = new Renderer(templates, event, { secrets, host, read })
  const candidate = chosen ?? only
  const delivery = makeDelivery(event, candidate, renderer, loaded, { host })
  const options = optionsOf(config.channels[channel] ?? { type: '', clearance: 'minimal' })
  const notifier = notifierOf(channel, config)
  try {
    const composed = await notifier?.compose?.(delivery.message, options, {
      now,
      attempt: 1,
      delivery,
    })
    return { ...(composed && { composed }), problems: renderer.problems }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    const { message, hint } = error
    throw new HookbellError('E_CONFIG', `preview: ${channel}: ${message}`, { hint })
  }
}

async function eventOf(
  source: Source,
  loaded: LoadedConfig,
  deps: PreviewDeps,
): Promise<EnrichedEvent> {
  // A transcript that lacks something is not waited for.
  const enriched = (event: AgentEvent) => enrich(event, { now: () => Number.POSITIVE_INFINITY })
  if (source.type === 'payload') {
    return enriched(parse(source.body, source.client, loaded, deps.now))
  }
  if (source.type === 'recorded') return recorded(source.entry, loaded)
  const { client, payload, found }: Sample = samples[source.name]
  const common = { session_id: '4f1c2ab8-5d3e-4c47-9a51-0c8f7e6d5b4a', cwd: deps.cwd }
  const body = Buffer.from(JSON.stringify({ ...common, ...payload }))
  return { ...(await enriched(parse(body, client, loaded, deps.now))), ...found }
}

function parse(body: Buffer, client: string, { config }: LoadedConfig, at: number): AgentEvent {
  const header = { client, env: {} }
  return parseEvent({ id: 'preview', at, header, body, truncated: false }, config.abnormalReasons)
}

/** The event as far as the journal has it. Its text is the one that was sent, already without Markdown. */
function recorded(entry: AcceptedEntry, loaded: LoadedConfig): EnrichedEvent {
  const { event: name, client, sessionId, project, text = '', facts = {}, id } = entry
  const body = Buffer.from(JSON.stringify({ hook_event_name: name }))
  const { means: _, ...known } = facts
  const kind = kinds.find((one) => one === entry.kind) ?? 'other'
  const isAnswer = kind === 'done' || kind === 'subagent-done'
  return {
    ...parse(body, client, loaded, entry.acceptedAt),
    ...known,
    ...(isAnswer ? { lastMessage: text } : { message: text }),
    ...{ id, client, sessionId, project, kind },
    branch: facts.branch ?? '',
    title: '',
    firstPrompt: '',
    tokens: undefined,
    did: { tools: {}, files: [], commands: [] },
  }
}
