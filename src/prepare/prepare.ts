import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import type { ProjectRules } from '../context/project-rules.ts'
import { type Asked, type Delivery, deliveryId, type Message } from '../delivery.ts'
import type { AgentEvent } from '../event/event.ts'
import type { AcceptedEntry } from '../journal/entry.ts'
import { cleanEntry } from '../journal/journal.ts'
import { notifierOf } from '../notifiers/index.ts'
import { dropOldest } from '../policy/drop-oldest.ts'
import type { Judgement } from '../policy/memory.ts'
import type { Candidate, Verdict } from '../policy/types.ts'
import { Renderer } from '../render/render.ts'
import type { Templates } from '../render/templates.ts'
import { markdownReaderFor } from '../render/values.ts'
import { sha256 } from '../text/sha256.ts'
import { acceptedEntry } from './accepted-entry.ts'
import { findAtTerminal } from './at-terminal.ts'
import { type DecideDeps, decide, type Stored } from './decide.ts'
import { withLabel } from './project.ts'

/** What this machine gives to the preparation of an event. */
export interface PrepareDeps extends DecideDeps {
  templates: Templates
  /** Names of projects by working folder. */
  projects: Map<string, Promise<string>>
  /** The branch of a working folder; absent: looked up for each event. */
  branchOf?: (cwd: string) => Promise<string>
  /** What the file of the project around a folder says. */
  projectRules?: (cwd: string) => Promise<ProjectRules | undefined>
}

export interface Held {
  delivery: Delivery
  until: number
  reason: string
  /** What is due together with the same group is told in one message; absent where it is told alone. */
  group?: string
  /** Of a later step: when it may be told, should nobody be reached before. Unix ms. */
  earliest?: number | undefined
}

/** One event, understood and decided: what goes to the journal, and what goes out. */
export interface Prepared {
  entry: AcceptedEntry
  deliveries: readonly Delivery[]
  /** Deliveries that a policy wants later. */
  held: readonly Held[]
  /** Channels that are not told, each with the reason. */
  suppressed: readonly { channel: string; reason: string }[]
  /** Why nobody is told at all; absent otherwise. */
  reason?: string
}

/** Enrich, route, judge, render. Everything that needs this machine happens here; the rest could happen anywhere. */
export async function prepare(
  parsed: AgentEvent,
  stored: Stored,
  loaded: LoadedConfig,
  deps: PrepareDeps,
): Promise<Prepared> {
  const [enriched, project, isAtTerminal] = await Promise.all([
    enrich(parsed, deps),
    deps.projectRules?.(parsed.cwd),
    findAtTerminal(parsed, loaded.config),
  ])
  const found = { ...enriched, isAtTerminal }
  // Before the decision: from there until it is remembered no other event may come in between.
  const read = await markdownReaderFor(found)
  const decided = decide(found, stored, loaded.config, { ...deps, project })
  const { event, judgements, suppress } = decided
  const settings = { ...settingsOf(loaded, deps), read }
  const renderer = new Renderer(deps.templates, withLabel(event, project), settings)
  const made = judgements.flatMap(({ candidate, verdict }) => {
    if (verdict.type === 'suppress') return []
    const delivery = makeDelivery(event, candidate, renderer, loaded, deps)
    return { candidate, verdict, delivery }
  })
  // Once all texts are made: its problems are part of the record.
  const entry = cleanEntry(
    acceptedEntry({ ...decided, renderer }, loaded, deps.now()),
    loaded.secrets,
  )
  // What is remembered is written to the disk, so it must not know more than the journal.
  deps.memory.fold(entry)
  const reason = suppress ?? reasonForAll(judgements)
  return {
    entry,
    deliveries: made.flatMap(({ verdict, delivery }) => (verdict.type === 'send' ? delivery : [])),
    held: made.flatMap(({ candidate, verdict, delivery }) =>
      verdict.type === 'hold' ? [holdBack(delivery, verdict, candidate, loaded)] : [],
    ),
    suppressed: judgements.flatMap(({ candidate: { channel }, verdict }) =>
      verdict.type === 'suppress' ? [{ channel, reason: verdict.reason }] : [],
    ),
    ...(reason !== undefined && { reason }),
  }
}

/** The delivery once more, where its text was not kept in memory while it stood in line. */
export async function prepareAgain(
  parsed: AgentEvent,
  { kind, ...candidate }: Pick<Delivery, 'channel' | 'urgency' | 'kind' | 'template'>,
  loaded: LoadedConfig,
  deps: Omit<PrepareDeps, 'memory' | 'mutes'>,
): Promise<Delivery> {
  const [enriched, project] = await Promise.all([
    enrich(parsed, deps),
    deps.projectRules?.(parsed.cwd),
  ])
  const event = { ...enriched, kind }
  const read = await markdownReaderFor(event)
  const settings = { ...settingsOf(loaded, deps), read }
  const renderer = new Renderer(deps.templates, withLabel(event, project), settings)
  return makeDelivery(event, candidate, renderer, loaded, deps)
}

/** What people read may be told together; for a program each event stays one. */
function holdBack(
  delivery: Delivery,
  { until, reason, group, earliest }: Extract<Verdict, { type: 'hold' }>,
  { channel, later }: Candidate,
  { config }: LoadedConfig,
): Held {
  const isTogether = group !== '' && notifierOf(channel, config)?.summarizes === true
  // A step that was due while the machine was off is told afterwards, but not on another day.
  const expires = later ? until + config.retry.maxAgeHours * 3600_000 : 0
  return {
    delivery: { ...delivery, expires },
    until,
    reason,
    earliest,
    ...(isTogether && { group: hashOf(`${channel} ${group}`) }),
  }
}

function settingsOf({ secrets }: LoadedConfig, { host }: Pick<PrepareDeps, 'host'>) {
  return { secrets, host }
}

/** Where every channel is suppressed, the reasons are those of the event. */
function reasonForAll(judgements: readonly Judgement[]): string | undefined {
  const reasons = judgements.map(({ verdict }) =>
    verdict.type === 'suppress' ? verdict.reason : undefined,
  )
  if (reasons.length === 0 || reasons.includes(undefined)) return undefined
  return [...new Set(reasons)].join('; ')
}

/** An event as it goes to one channel. */
export function makeDelivery(
  event: EnrichedEvent,
  { channel, urgency, template }: Pick<Candidate, 'channel' | 'urgency' | 'template'>,
  renderer: Renderer,
  { config }: LoadedConfig,
  { host }: Pick<PrepareDeps, 'host'>,
): Delivery {
  const { id, kind, at } = event
  const message = renderer.message(urgency, { ...readerOf(channel, config), template })
  return {
    id: deliveryId(id, channel),
    events: [id],
    host,
    channel,
    ...(template !== undefined && { template }),
    session: sessionHash(event),
    kind,
    urgency,
    message,
    ...(kind === 'permission' && { questions: [askedBy(event, message)] }),
    sessionEnv: { ...event.env },
    acceptedAt: at,
    notBefore: 0,
    expires: 0,
    attempts: 0,
    firstTriedAt: 0,
  }
}

/** What a channel gets, and in which format. One that is gone gets as little as possible. */
export function readerOf(channel: string, config: Config) {
  const { markup, leavesMachine } = notifierOf(channel, config) ?? {}
  const own = Object.hasOwn(config.channels, channel) ? config.channels[channel] : undefined
  return { markup: markup?.name, leavesMachine, clearance: own?.clearance ?? 'minimal' } as const
}

/** In the words that this channel may have: later messages to it repeat them. */
function askedBy(
  { id, at, toolUseId, transcriptPath }: EnrichedEvent,
  { title, body }: Pick<Message, 'title' | 'body'>,
): Asked {
  const [first = ''] = body.split('\n', 1)
  return { id, at, toolUseId, transcriptPath, title, text: first || title }
}

const MAX_HASHES = 1000
const hashes = new Map<string, string>()

/** The session's own id is the agent's text, and may hold anything. An event asks for it once per channel, and more. */
function hashOf(text: string): string {
  const hash = hashes.get(text) ?? sha256(text).slice(0, 16)
  hashes.set(text, hash)
  dropOldest(hashes, MAX_HASHES)
  return hash
}

type SessionOf = Pick<AgentEvent, 'client' | 'sessionId' | 'id'>

/** What the deliveries of an event's session have in common. */
export function sessionHash(event: SessionOf): string {
  return hashOf(sessionOf(event))
}

/** Events without a session have nothing to do with each other. */
export function sessionOf({ client, sessionId, id }: SessionOf): string {
  return sessionId ? `${client} ${sessionId}` : id
}
