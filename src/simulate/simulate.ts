import type { Config } from '../config/schema/schema.ts'
import { type AcceptedEntry, isOwnEvent, type JournalEntry } from '../journal/entry.ts'
import { notifierOf } from '../notifiers/index.ts'
import { ANSWERED_BEFORE, ENDED_BEFORE } from '../policy/held.ts'
import { eventOfEntry } from '../prepare/facts.ts'
import { isCopy, isQuestion } from '../report/agent-work.ts'
import { type Ping, Replay } from './replay.ts'

/** A question of which nobody is notified. */
interface MissedQuestion {
  id: string
  /** Unix ms. */
  at: number
  title: string
  project: string
  because: string
}

/** What was decided, by the journal or by a replay. */
interface Decided {
  entries: readonly AcceptedEntry[]
  pings: readonly Ping[]
  /** Held messages that were dropped, such as after an answer. */
  dropped: readonly { id: string }[]
}

const MOST_SOURCES = 10

export interface SimulateOptions {
  /** The journal, oldest first, as `readJournal` gives it. */
  entries: readonly JournalEntry[]
  /** As the worker would use it: see `policyConfig`. */
  config: Config
  /** Events accepted from then on are judged, Unix ms; earlier ones only fill the memory. Default: all are judged. */
  since?: number
  /** The name of the machine, for routes that ask for it. */
  host?: string
}

/** How many messages the same events make: as they were decided, and as they would be. */
export interface BeforeAfter {
  before: number
  after: number
}

/** Where messages come from: one client, project, session and kind. */
export interface Source extends BeforeAfter {
  client: string
  project: string
  session: string
  kind: string
}

/** A decision that would be different. */
export interface Change {
  id: string
  at: number
  title: string
  kind: string
  channel: string
  /** Whether a message would be sent now. The recorded decision was the opposite. */
  isTold: boolean
  because: string
}

export interface Simulation {
  /** How many events were judged. */
  events: number
  /** Messages by channel. */
  channels: { [name: string]: BeforeAfter }
  /** How many of them were questions. */
  questions: number
  /** Questions of which nobody would be notified. */
  missed: MissedQuestion[]
  /** How many questions there were of which nobody was notified, by the recorded decisions. */
  missedBefore: number
  /** The sources of the most messages, most first. */
  noisiest: Source[]
  changes: Change[]
}

/**
 * Judges the events of the journal again under another configuration, on their original clock, with the routes and
 * rules of the worker. Reads, sends and writes nothing.
 */
export function simulate(options: SimulateOptions): Simulation {
  const { entries, config, since = Number.NEGATIVE_INFINITY, host = '' } = options
  const recorded = new Recorded()
  for (const entry of entries) recorded.add(entry)
  const byId = new Map(recorded.accepted.map((entry) => [entry.id, entry]))
  const judged = new Set(recorded.accepted.filter((entry) => isJudged(entry, since)))
  const replay = new Replay(config, {
    host,
    mutes: (_, event, heldFor) => {
      const entry = byId.get(event)
      return entry && recorded.wasMuted(entry, heldFor) ? [{ until: 0, questions: true }] : []
    },
    whyNotAsked: (event, channel) => {
      const entry = byId.get(event)
      return entry && recorded.whyNotAsked(entry, channel)
    },
  })
  for (const entry of entries) {
    if (entry.type !== 'accepted') replay.note(entry)
    else if (byId.get(entry.id) !== entry) continue
    else if (judged.has(entry)) judgeAgain(entry, replay, config)
    else replay.memory.fold(entry)
  }
  replay.end()
  const before = {
    entries: [...judged],
    pings: recorded.pings([...judged]),
    dropped: recorded.dropped,
  }
  return compare(before, replay, config)
}

/** Events of hookbell itself, such as tests, go to the requested channel; no rule judges them. */
function isJudged(entry: AcceptedEntry, since: number): boolean {
  return entry.acceptedAt >= since && !isOwnEvent(entry)
}

function judgeAgain(entry: AcceptedEntry, replay: Replay, { abnormalReasons }: Config) {
  const { fingerprint, shared = false, via, at: now, title } = entry
  const found = eventOfEntry(entry, abnormalReasons)
  replay.memory.forgetFuture(found, now)
  replay.add({ found, now, title, stored: { fingerprint, shared, via } })
}

function compare(before: Decided, replay: Replay, config: Config): Simulation {
  const { entries: judged, pings } = before
  return {
    events: judged.length,
    questions: judged.filter((entry) => isQuestion(entry) && !isCopy(entry)).length,
    channels: channelsOf(pings, replay.pings),
    missed: missedQuestions(replay, config),
    missedBefore: missedQuestions(before, config).length,
    noisiest: noisiest(judged, pings, replay.pings),
    changes: changesOf(judged, pings, replay),
  }
}

function channelsOf(before: readonly Ping[], after: readonly Ping[]) {
  const names = [...new Set([...before, ...after].map(({ channel }) => channel))].sort()
  const count = (pings: readonly Ping[], name: string) =>
    pings.filter(({ channel }) => channel === name).length
  return Object.fromEntries(
    names.map((name) => [name, { before: count(before, name), after: count(after, name) }]),
  )
}

function noisiest(
  judged: readonly AcceptedEntry[],
  before: readonly Ping[],
  after: readonly Ping[],
): Source[] {
  const byId = new Map(judged.map((entry) => [entry.id, entry]))
  const sources = new Map<string, Source>()
  const count = (pings: readonly Ping[], when: keyof BeforeAfter) => {
    for (const { events } of pings) {
      const entry = byId.get(events[0] ?? '')
      if (!entry) continue
      const { client, project, sessionId: session, kind } = entry
      const key = [client, project, session, kind].join('\n')
      const source = sources.get(key) ?? { client, project, session, kind, before: 0, after: 0 }
      sources.set(key, source)
      source[when] += 1
    }
  }
  count(before, 'before')
  count(after, 'after')
  const most = (one: Source) => Math.max(one.before, one.after)
  return [...sources.values()]
    .sort((one, other) => other.after - one.after || most(other) - most(one))
    .slice(0, MOST_SOURCES)
}

function changesOf(
  judged: readonly AcceptedEntry[],
  pings: readonly Ping[],
  { pings: after, entries, dropped }: Replay,
): Change[] {
  const [was, is] = [sentOn(pings), sentOn(after)]
  const simulated = new Map(entries.map((entry) => [entry.id, entry]))
  return judged.flatMap(({ id, acceptedAt: at, title, kind }) => {
    const [then = new Set<string>(), now = new Set<string>()] = [was.get(id), is.get(id)]
    const different = [...new Set([...then, ...now])].filter(
      (channel) => then.has(channel) !== now.has(channel),
    )
    return different.map((channel) => {
      const held = dropped.find((one) => one.id === id && one.channel === channel)
      const because = held?.reason ?? becauseOf(simulated.get(id), channel)
      return { id, at, title, kind, channel, isTold: now.has(channel), because }
    })
  })
}

function sentOn(pings: readonly Ping[]): Map<string, Set<string>> {
  const told = new Map<string, Set<string>>()
  for (const { channel, events } of pings) {
    for (const id of events) told.set(id, (told.get(id) ?? new Set()).add(channel))
  }
  return told
}

function becauseOf(entry: AcceptedEntry | undefined, channel: string): string {
  const steps = entry?.trace?.filter((step) => step.channel === channel) ?? []
  const because = steps.map((step) => step.because).join('; ')
  return because || `no route to ${channel}`
}

/**
 * The permission questions of which no person is notified, each once, except those that were muted or dropped. The event
 * that repeats a question may be the one that was sent. A channel that only keeps a record, such as a file, does not notify
 * a person.
 */
function missedQuestions(
  { entries, pings, dropped }: Decided,
  config: Pick<Config, 'channels'>,
): MissedQuestion[] {
  const shown = pings.filter(({ channel }) => notifierOf(channel, config)?.isRecord !== true)
  const told = new Set([...shown.flatMap(({ events }) => events), ...dropped.map(({ id }) => id)])
  for (const { id, repeatOf, duplicateOf = repeatOf } of entries) {
    if (duplicateOf && told.has(id)) told.add(duplicateOf)
  }
  return entries
    .filter((entry) => isQuestion(entry) && !isCopy(entry) && !told.has(entry.id))
    .filter((entry) => !isSilenced(entry))
    .map((entry) => {
      const { id, acceptedAt: at, title, project } = entry
      return { id, at, title, project, because: reasonOf(entry) }
    })
}

/** Whether a person wanted no message. */
function isSilenced({ facts, trace = [] }: AcceptedEntry): boolean {
  return facts?.isSwitchedOff === true || trace.some(({ by }) => by === 'mute')
}

function reasonOf({ trace = [] }: AcceptedEntry): string {
  const rules = trace.filter(({ verdict }) => verdict === 'suppress')
  const reasons = [...new Set(rules.map(({ because }) => because))]
  return reasons.join('; ') || 'no route to a channel that a person is shown'
}

type HeldEntry = Extract<JournalEntry, { type: 'held' }>

const ends: readonly string[] = [ANSWERED_BEFORE, ENDED_BEFORE]

/** What was decided about each event, according to the journal. Whether a delivery failed later is left out. */
class Recorded {
  /** Every event once, in the order in which they were judged. */
  readonly accepted: AcceptedEntry[] = []
  readonly #ids = new Set<string>()
  /** By event and channel. */
  readonly #held = new Map<string, HeldEntry>()
  /** Why held messages were dropped, by event and channel. */
  readonly #dropped = new Map<string, string>()

  add(entry: JournalEntry) {
    if (entry.type === 'accepted' && !this.#ids.has(entry.id)) {
      this.#ids.add(entry.id)
      this.accepted.push(entry)
    }
    if (entry.type === 'held') this.#held.set(keyOf(entry.id, entry.channel), entry)
    if (entry.type === 'suppressed' && entry.channel !== undefined) {
      const key = keyOf(entry.id, entry.channel)
      if (this.#held.has(key)) this.#dropped.set(key, entry.reason)
    }
  }

  /** Whether the event was muted when it was judged or, with `heldFor`, when its message to that channel was due. */
  wasMuted({ id, trace = [] }: AcceptedEntry, heldFor?: string): boolean {
    if (heldFor === undefined) {
      return trace.some(({ by, verdict }) => by === 'mute' && verdict === 'suppress')
    }
    return this.#dropped.get(keyOf(id, heldFor))?.startsWith('Muted ') === true
  }

  /** Why a question that was held for a channel was not asked any more; undefined if it was. */
  whyNotAsked({ id, kind }: AcceptedEntry, channel: string): string | undefined {
    const reason = this.#dropped.get(keyOf(id, channel)) ?? ''
    return kind === 'permission' && ends.includes(reason) ? reason : undefined
  }

  /** Events whose held messages were dropped when they were due, because they were not worth sending any more. */
  get dropped(): { id: string }[] {
    return [...this.#dropped.keys()].map((key) => ({ id: key.split(' ', 1)[0] ?? '' }))
  }

  /** The messages that result from the decisions. */
  pings(entries: readonly AcceptedEntry[]): Ping[] {
    const pings = new Map<string, Ping>()
    for (const entry of entries) {
      const { id, kind, at } = entry
      for (const channel of sentChannels(entry)) {
        const key = keyOf(id, channel)
        if (this.#dropped.has(key)) continue
        const { until = at, group = key } = this.#held.get(key) ?? {}
        const together = `${channel} ${until} ${group}`
        const ping = pings.get(together)
        if (ping) ping.events.push(id)
        else pings.set(together, { at: until, channel, events: [id], kind })
      }
    }
    return [...pings.values()]
  }
}

function sentChannels({ trace = [] }: AcceptedEntry): string[] {
  const told = trace.filter(({ verdict }) => verdict === 'send' || verdict === 'hold')
  return told.flatMap(({ channel }) => (channel === undefined ? [] : [channel]))
}

function keyOf(id: string, channel: string): string {
  return `${id} ${channel}`
}
