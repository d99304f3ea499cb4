import { hostname } from 'node:os'
import { type LoadedConfig, parseConfig } from './config/load/load.ts'
import { configDir } from './config/paths.ts'
import { type EnrichedEvent, enrich as enrichEvent } from './context/enrich.ts'
import { findDestination, send as sendTo } from './deliver/attempt.ts'
import type { Delivery, Message, Urgency } from './delivery.ts'
import type { AgentEvent } from './event/event.ts'
import { parseEvent } from './event/parse.ts'
import { cleanEntry } from './journal/journal.ts'
import type { Notifier } from './notifiers/define.ts'
import { givenNotifiers } from './notifiers/index.ts'
import { Memory } from './policy/memory.ts'
import { type Chosen, choose, judgeChosen } from './prepare/decide.ts'
import { acceptedEntry } from './prepare/facts.ts'
import { makeDelivery } from './prepare/prepare.ts'
import { Renderer } from './render/render.ts'
import { Templates } from './render/templates.ts'
import { markdownReaderFor } from './render/values.ts'
import { type JudgeOptions, judge as judgeAll } from './simulate/judge.ts'
import { newId } from './spool/layout.ts'

// The worker's way of an event, one function per stage, for programs of others. Each takes what the one before returns.
// Nothing is stored and nothing is tried again: see `acceptEvent` and `deliverOnce` for that.

export interface RulesOptions {
  /** The content of `config.json`. Default: the built-in settings. */
  config?: object
  /** Values for its references, such as `${SLACK_WEBHOOK_URL}`. */
  secrets?: Readonly<Record<string, string>>
  /** Notifiers of your own, by their names: the types of their channels. */
  notifiers?: readonly Notifier[]
  /** The folder with `templates/`. Default: that of the user's configuration. */
  configDir?: string
  /** The name of the machine. Default: that of this one. */
  host?: string
}

/** A configuration in use, with what its rules remember of the events that they have judged. */
export interface Rules {
  readonly loaded: LoadedConfig
  readonly memory: Memory
  readonly templates: Templates
  readonly host: string
}

/** @throws HookbellError E_CONFIG which says what is wrong with the configuration, and where */
export function readRules(options: RulesOptions = {}): Rules {
  const { config = {}, secrets = {}, notifiers = [], configDir: folder = configDir() } = options
  const loaded = parseConfig(JSON.stringify(config, null, 2), {
    path: 'config',
    secrets: { file: new Map(Object.entries(secrets)), env: {} },
    given: givenNotifiers(notifiers),
  })
  const { host = hostname() } = options
  return { loaded, memory: new Memory(), templates: new Templates(folder), host }
}

export interface Source {
  /** The client that sends the payload. Default: the one that it shows. */
  client?: string
  /** When it happened, Unix ms or a date. Default: now. */
  at?: number | Date
  /** Default: a new one. */
  id?: string
  /** Variables of the agent's session, such as `SSH_CONNECTION`. Default: none. */
  env?: Readonly<Record<string, string>>
}

/** @throws HookbellError E_EVENT if the payload is no event */
export function parse(payload: object, rules: Rules, source: Source = {}): AgentEvent {
  const { client = 'unknown', at = Date.now(), id = newId(), env = {} } = source
  const body = Buffer.from(JSON.stringify(payload))
  const accepted = {
    id,
    at: Number(at),
    header: { client, env: { ...env } },
    body,
    truncated: false,
  }
  return parseEvent(accepted, rules.loaded.config.abnormalReasons)
}

/** Adds what the project's folder and the transcript show. */
export async function enrich(event: AgentEvent): Promise<EnrichedEvent> {
  return await enrichEvent(event, { now: Date.now })
}

/** An event, and the channels that it is for. */
export type RoutedEvent = Chosen

export function route(event: EnrichedEvent, rules: Rules): RoutedEvent {
  const { config } = rules.loaded
  return choose(event, { shared: false }, config, depsOf(rules, event.at))
}

/** What the rules say about one channel. */
export interface Verdict {
  channel: string
  urgency: Urgency
  type: 'send' | 'hold' | 'suppress'
  /** Why it is held or suppressed; '' otherwise. */
  reason: string
  /** Until when it is held, Unix ms; 0 otherwise. */
  until: number
}

export interface JudgedEvent {
  event: EnrichedEvent
  verdicts: readonly (Verdict & { template?: string | undefined })[]
  /** Why no channel is chosen; absent otherwise. */
  reason?: string
}

/** Applies the rules against noise. From then on they remember the event. */
export function judge(routed: RoutedEvent, rules: Rules): JudgedEvent
/** Decides about many events, each at its own time, to test a configuration. Sends nothing. */
export function judge(all: JudgeOptions): JudgedEvents
export function judge(...given: [RoutedEvent, Rules] | [JudgeOptions]): JudgedEvent | JudgedEvents {
  return given.length === 1 ? judgeAll(...given) : judgeRouted(...given)
}

function judgeRouted(routed: RoutedEvent, rules: Rules): JudgedEvent {
  const { memory, loaded } = rules
  const { at } = routed.event
  const decided = judgeChosen(routed, { shared: false }, { memory })
  const unrendered = { title: '', body: '', problems: [] }
  const entry = acceptedEntry({ ...decided, renderer: unrendered }, loaded, at)
  memory.fold(cleanEntry(entry, loaded.secrets))
  const { event, suppress, judgements } = decided
  return {
    event,
    verdicts: judgements.map(({ candidate: { channel, urgency, template }, verdict }) => ({
      ...{ channel, urgency, template, type: verdict.type },
      reason: verdict.type === 'send' ? '' : verdict.reason,
      until: verdict.type === 'hold' ? verdict.until : 0,
    })),
    ...(suppress !== undefined && { reason: suppress }),
  }
}

/** A message that is ready for its channel. */
export interface Rendered {
  channel: string
  message: Message
  /** Until when the rules hold it, and why; absent if it may be sent now. */
  held?: { until: number; reason: string }
  /** What `send` takes. */
  delivery: Delivery
}

type JudgedEvents = ReturnType<typeof judgeAll>

/** Makes the messages for the channels that get the event, now or later. */
export async function render(judged: JudgedEvent, rules: Rules): Promise<Rendered[]> {
  const { event, verdicts } = judged
  const { loaded, templates, host } = rules
  const read = await markdownReaderFor(event)
  const renderer = new Renderer(templates, event, { secrets: loaded.secrets, host, read })
  return verdicts.flatMap((verdict) => {
    const { channel, type, until, reason } = verdict
    if (type === 'suppress') return []
    const delivery = makeDelivery(event, verdict, renderer, loaded, { host })
    const { message } = delivery
    return [{ channel, message, delivery, ...(type === 'hold' && { held: { until, reason } }) }]
  })
}

/** Sends a message once. @returns the receiver's answer @throws what the notifier throws, mostly a DeliveryError */
export async function send({ channel, delivery }: Rendered, { loaded }: Rules): Promise<string> {
  const destination = findDestination(channel, loaded)
  if ('error' in destination) throw destination.error
  const sent = await sendTo(destination, delivery, loaded, { now: Date.now })
  return typeof sent === 'string' ? sent : sent.answer
}

function depsOf({ memory, host }: Rules, now: number) {
  return { memory, host, mutes: () => [], now: () => now }
}
