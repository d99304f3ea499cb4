import { optionsOf } from '../config/channels.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import { HookbellError } from '../errors.ts'
import type { AgentEvent } from '../event/event.ts'
import { kinds } from '../event/kind.ts'
import { parseEvent } from '../event/parse.ts'
import type { AcceptedEntry } from '../journal/entry.ts'
import { type Composed, DeliveryError } from '../notifiers/define.ts'
import { notifierOf } from '../notifiers/index.ts'
import { Renderer } from '../render/render.ts'
import type { Templates } from '../render/templates.ts'
import { markdownReaderFor } from '../render/values.ts'
import { route, routeTo } from '../route/route.ts'
import { makeDelivery } from './prepare.ts'
import { type Sample, type SampleName, samples } from './samples.ts'

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
