import { createHash } from 'node:crypto'
import type { LoadedConfig } from '../config/load.ts'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import { type Delivery, deliveryId } from '../delivery.ts'
import type { AgentEvent } from '../event/event.ts'
import type { AcceptedEntry } from '../journal/entry.ts'
import { notifierOf } from '../notifiers/index.ts'
import type { Judgement, Memory } from '../policy/memory.ts'
import type { Candidate, JudgedEvent } from '../policy/types.ts'
import { Renderer } from '../render/render.ts'
import type { Templates } from '../render/templates.ts'
import { type Decision, route, routeTo } from '../route/route.ts'
import { acceptedEntry } from './accepted-entry.ts'

/** What this machine gives to the preparation of an event. */
export interface PrepareDeps {
  templates: Templates
  /** Names of projects by working folder. */
  projects: Map<string, Promise<string>>
  memory: Memory
  host: string
  now(): number
}

export interface Stored {
  /** The channel that a person asked for by name. */
  channel?: string | undefined
  fingerprint?: string | undefined
  shared: boolean
  /** Channels that an earlier worker chose and that are still open: they stand, whatever the routes say now. */
  open?: readonly string[] | undefined
}

export interface Held {
  delivery: Delivery
  until: number
  reason: string
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
  const event = await enrich(parsed, deps)
  const renderer = new Renderer(deps.templates, event, loaded.secrets)
  const decision = decide(event, stored, loaded)
  const judged = { ...event, fingerprint: stored.fingerprint, shared: stored.shared }
  const judgements = judge(judged, decision, stored, deps)
  const entry = acceptedEntry({ event, renderer, decision, judgements }, loaded, deps.now())
  Object.assign(entry, deps.memory.note(judged))
  deps.memory.fold(entry)
  const make = (candidate: Candidate) => makeDelivery(event, candidate, renderer, loaded, deps)
  const reason = decision.suppress ?? reasonForAll(judgements)
  return {
    entry,
    deliveries: judgements.filter(isSent).map(({ candidate }) => make(candidate)),
    held: judgements.flatMap(({ candidate, verdict }) =>
      verdict.type === 'hold'
        ? [{ delivery: make(candidate), until: verdict.until, reason: verdict.reason }]
        : [],
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
  candidate: Candidate,
  loaded: LoadedConfig,
  deps: Omit<PrepareDeps, 'memory'>,
): Promise<Delivery> {
  const event = await enrich(parsed, deps)
  const renderer = new Renderer(deps.templates, event, loaded.secrets)
  return makeDelivery(event, candidate, renderer, loaded, deps)
}

function decide(event: EnrichedEvent, { channel, open }: Stored, loaded: LoadedConfig): Decision {
  const decision = channel ? routeTo(channel, event) : route(event, loaded.config)
  if (!open) return decision
  const known = (name: string) => decision.candidates.find((one) => one.channel === name)
  const candidates = open.map(
    (name) => known(name) ?? { channel: name, urgency: 'normal' as const },
  )
  return { candidates, trace: decision.trace }
}

/** What a person asked for, and what was decided before, is not judged again. */
function judge(
  event: JudgedEvent,
  { candidates }: Decision,
  { channel, open }: Stored,
  { memory }: PrepareDeps,
): Judgement[] {
  if (!channel && !open) return memory.judge(event, candidates)
  return candidates.map((candidate) => ({ candidate, by: '', verdict: { type: 'send' } }))
}

function isSent({ verdict }: Judgement): boolean {
  return verdict.type === 'send'
}

/** Where every channel is suppressed, the reasons are those of the event. */
function reasonForAll(judgements: readonly Judgement[]): string | undefined {
  const reasons = judgements.map(({ verdict }) =>
    verdict.type === 'suppress' ? verdict.reason : undefined,
  )
  if (reasons.length === 0 || reasons.includes(undefined)) return undefined
  return [...new Set(reasons)].join('; ')
}

function makeDelivery(
  event: EnrichedEvent,
  { channel, urgency }: Candidate,
  renderer: Renderer,
  { config }: LoadedConfig,
  { host }: Pick<PrepareDeps, 'host'>,
): Delivery {
  const { id, kind, at } = event
  return {
    id: deliveryId(id, channel),
    events: [id],
    host,
    channel,
    session: hashOf(sessionOf(event)),
    kind,
    urgency,
    message: renderer.message(urgency, notifierOf(channel, config)?.markup?.name),
    sessionEnv: { ...event.env },
    acceptedAt: at,
    notBefore: 0,
    expires: 0,
    attempts: 0,
    firstTriedAt: 0,
  }
}

/** The session's own id is the agent's text, and may hold anything. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Events without a session have nothing to do with each other. */
export function sessionOf({ client, sessionId, id }: AgentEvent): string {
  return sessionId ? `${client} ${sessionId}` : id
}
