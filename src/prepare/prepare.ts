import { channelOf } from '../config/channels.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import type { Config } from '../config/schema/schema.ts'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import { beganIn, folderOf } from '../context/project.ts'
import { type Asked, type Delivery, deliveryId, type Message } from '../delivery.ts'
import type { AgentEvent } from '../event/event.ts'
import { type AcceptedEntry, OWN_CLIENT } from '../journal/entry.ts'
import { cleanEntry } from '../journal/journal.ts'
import { notifierOf } from '../notifiers/index.ts'
import type { Judgement } from '../policy/memory.ts'
import { goesOn } from '../policy/rules/goes-on.ts'
import type { Candidate, Expected, Verdict } from '../policy/types.ts'
import { Renderer } from '../render/render.ts'
import { markdownReaderFor } from '../render/values.ts'
import { messageId } from '../repeated-channel.ts'
import { sha256 } from '../text/sha256.ts'
import { findAtTerminal } from './at-terminal.ts'
import { decide, isRuleUsed, type PrepareDeps, type Stored, withLabel } from './decide.ts'
import { acceptedEntry } from './facts.ts'
import { dependsOnPresence, findHere } from './here.ts'
import { placeOf } from './place.ts'

interface Held {
  /** With the time until which it is held. */
  delivery: Delivery
  reason: string
  /** Deliveries of the same group that are due together become one message; absent if it is sent alone. */
  group?: string
  /** What is expected to follow, if it is held for that. */
  expects?: Expected | undefined
  /** For a later step: when it may be sent at the earliest if nobody was reached before, Unix ms. */
  earliest?: number | undefined
  /** If quiet hours hold it: when it would be due without them, Unix ms. */
  dueOtherwise?: number | undefined
  /** The name of the project, by which a person may mute it meanwhile. */
  project: string
}

/** The result of preparing one event: what is recorded, and what is sent. */
export interface Prepared {
  entry: AcceptedEntry
  deliveries: readonly Delivery[]
  /** Deliveries that a policy holds until later. */
  held: readonly Held[]
  /** Channels that do not get the event, each with the reason. */
  suppressed: readonly { channel: string; reason: string }[]
  /** Why no channel gets the event; absent otherwise. */
  reason?: string
}

/** Enriches, routes, judges and renders one event. Everything that depends on this machine happens here. */
export async function prepare(
  parsed: AgentEvent,
  stored: Stored,
  loaded: LoadedConfig,
  deps: PrepareDeps,
): Promise<Prepared> {
  const began = beganIn(parsed, deps.memory.session(parsed)?.cwd)
  const folder = await folderOf(parsed.cwd, began)
  const placed = { ...parsed, cwd: folder }
  const [enriched, project, isAtTerminal, place] = await Promise.all([
    enrich(placed, { ...deps, findsQueued: isRuleUsed(goesOn, loaded.config) }),
    deps.projectRules?.(folder),
    findAtTerminal(placed, loaded.config),
    placeOf(parsed),
  ])
  const isHere = dependsOnPresence([...loaded.config.routes, ...(project ? [project] : [])])
    ? await findHere(parsed, deps.isAway?.() === true)
    : undefined
  const found = Object.assign(enriched, { isAtTerminal, isHere, ...place })
  // Awaited before the decision: until that is remembered, no other event may come in between.
  const read = await markdownReaderFor(found)
  deps.memory.forgetFuture(found, deps.now())
  const decided = decide(found, stored, loaded.config, { ...deps, project })
  const { event, judgements, suppress } = decided
  const settings = { ...settingsOf(loaded, deps), read }
  const renderer = new Renderer(deps.templates, withLabel(event, project), settings)
  const made = judgements.flatMap(({ candidate, verdict }) => {
    if (verdict.type === 'suppress') return []
    const isUnconditional = stored.channel !== undefined
    const delivery = makeDelivery(event, { ...candidate, isUnconditional }, renderer, loaded, deps)
    return { candidate, verdict, delivery }
  })
  // After all texts are made, because the entry includes the problems of rendering.
  const entry = cleanEntry(
    acceptedEntry({ ...decided, renderer }, loaded, deps.now()),
    loaded.secrets,
  )
  // The memory is saved to the disk, so it gets only the cleaned entry, as the journal does.
  deps.memory.fold(entry)
  const reason = suppress ?? reasonForAll(judgements)
  return {
    entry,
    deliveries: made.flatMap(({ verdict, delivery }) => (verdict.type === 'send' ? delivery : [])),
    held: made.flatMap(({ candidate, verdict, delivery }) =>
      verdict.type === 'hold'
        ? [{ ...holdBack(delivery, verdict, candidate, loaded), project: entry.project }]
        : [],
    ),
    suppressed: judgements.flatMap(({ candidate: { channel }, verdict }) =>
      verdict.type === 'suppress' ? [{ channel, reason: verdict.reason }] : [],
    ),
    ...(reason !== undefined && { reason }),
  }
}

/** What is known of a delivery before its text. */
type Addressed = Pick<Delivery, 'channel' | 'urgency' | 'template' | 'isUnconditional'>

/** What the decision found about the event, besides its payload and its transcript. */
type Decisive = Pick<EnrichedEvent, 'kind' | 'durationMs' | 'waitingMs'>

/** Makes a delivery again whose text was not kept in memory while it was queued. The event is in its project's folder. */
export async function prepareAgain(
  parsed: AgentEvent,
  { kind, durationMs, waitingMs, ...candidate }: Decisive & Addressed,
  loaded: LoadedConfig,
  deps: Omit<PrepareDeps, 'memory' | 'mutes'>,
): Promise<Delivery> {
  const [enriched, project] = await Promise.all([
    enrich(parsed, { ...deps, findsQueued: false }),
    deps.projectRules?.(parsed.cwd),
  ])
  const event = { ...enriched, kind, durationMs, waitingMs }
  const read = await markdownReaderFor(event)
  const settings = { ...settingsOf(loaded, deps), read }
  const renderer = new Renderer(deps.templates, withLabel(event, project), settings)
  return makeDelivery(event, candidate, renderer, loaded, deps)
}

function holdBack(
  delivery: Delivery,
  { until, reason, group, expects, earliest, dueOtherwise }: Extract<Verdict, { type: 'hold' }>,
  { channel, later }: Candidate,
  { config }: LoadedConfig,
): Omit<Held, 'project'> {
  // A step that was due while the machine was off is sent afterwards, but not after the maximum age.
  const expires = later ? until + config.retry.maxAgeHours * 3600_000 : 0
  return {
    delivery: { ...delivery, notBefore: until, expires },
    reason,
    expects,
    earliest,
    // The delay of a later step counts from the end of quiet hours: without them, all of its times would change.
    ...(!later && { dueOtherwise }),
    ...groupOf(channel, group, config),
  }
}

/** Held deliveries are grouped only on channels that people read; a program gets each event separately. */
export function groupOf(channel: string, group: string, config: Config): { group?: string } {
  const isTogether = group !== '' && notifierOf(channel, config)?.summarizes === true
  return isTogether ? { group: hashOf(`${channel} ${group}`) } : {}
}

function settingsOf({ secrets }: LoadedConfig, { host }: Pick<PrepareDeps, 'host'>) {
  return { secrets, host }
}

/** The reasons of all channels together, if each of them is suppressed. */
function reasonForAll(judgements: readonly Judgement[]): string | undefined {
  const reasons = judgements.map(({ verdict }) =>
    verdict.type === 'suppress' ? verdict.reason : undefined,
  )
  if (reasons.length === 0 || reasons.includes(undefined)) return undefined
  return [...new Set(reasons)].join('; ')
}

/** The delivery of an event to one channel. */
export function makeDelivery(
  event: EnrichedEvent,
  { channel, urgency, template, isUnconditional }: Addressed,
  renderer: Renderer,
  { config }: LoadedConfig,
  { host }: Pick<PrepareDeps, 'host'>,
): Delivery {
  const { id, kind, at } = event
  // What hookbell reports itself, such as a broken configuration, holds no text of an agent.
  const isOwn = isUnconditional && event.client === OWN_CLIENT
  const reader = { ...readerOf(channel, config), ...(isOwn && { clearance: 'full' as const }) }
  const made = renderer.message(urgency, { ...reader, template })
  const message = { ...made, id: messageId(made.id, channel) }
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
    ...(isUnconditional && { isUnconditional }),
    sessionEnv: { ...event.env },
    acceptedAt: at,
    notBefore: 0,
    expires: 0,
    attempts: 0,
    firstTriedAt: 0,
  }
}

/** A channel's markup and clearance. A channel that no longer exists has the lowest clearance. */
function readerOf(channel: string, config: Config) {
  const { markup, leavesMachine } = notifierOf(channel, config) ?? {}
  const clearance = channelOf(channel, config)?.clearance ?? 'minimal'
  return { markup: markup?.name, leavesMachine, clearance } as const
}

/** The event's question, in the text that this channel may have, because later messages to it repeat that. */
function askedBy(
  { id, at }: EnrichedEvent,
  { title, body }: Pick<Message, 'title' | 'body'>,
): Asked {
  const [first = ''] = body.split('\n', 1)
  return { id, at, title, text: first || title }
}

/** Hashed, because a session id comes from the agent and may hold anything. */
function hashOf(text: string): string {
  return sha256(text).slice(0, 16)
}

type SessionOf = Pick<AgentEvent, 'client' | 'sessionId' | 'id'>

/** The key that all deliveries of an event's session share. */
export function sessionHash(event: SessionOf): string {
  return hashOf(sessionOf(event))
}

/** The key of the event's session. An event without a session has a key of its own. */
export function sessionOf({ client, sessionId, id }: SessionOf): string {
  return sessionId ? `${client} ${sessionId}` : id
}
