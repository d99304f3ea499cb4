import { type AcceptedEntry, isOwnEvent, type JournalEntry } from '../journal/entry.ts'
import { EventHistory, type EventStatus } from '../journal/history.ts'
import { formatDate } from '../text/local-time.ts'
import { AgentWork, type Turn, type Wait } from './agent-work.ts'

/** How often something occurs. */
export interface Count {
  name: string
  count: number
}

/** What became of the deliveries to one channel. */
interface ChannelUse {
  name: string
  /** Messages that arrived; one may report several events. */
  messages: number
  /** Events that these messages reported. */
  events: number
  /** Attempts that failed and were made again. */
  retries: number
  /** Deliveries that gave up. */
  failed: number
  /** Events whose session has no such channel, such as no terminal: nothing is wrong with it. */
  unavailable: number
}

/** The waits of one project and kind. Times, in ms, are of those whose end is known; null if there is none. */
export interface WaitRow {
  project: string
  kind: string
  waits: number
  /** Ended by a person, also if nobody knows when. */
  answered: number
  /** Still open. */
  open: number
  medianMs: number | null
  p90Ms: number | null
  longestMs: number | null
}

/** The turns of one project whose length is known. Times in ms. */
export interface TurnRow {
  project: string
  turns: number
  medianMs: number
  /** The same without the time in which a turn may have waited for a person: it worked at least that long. */
  medianWorkMs: number
}

export interface Report {
  /** Unix ms. */
  from: number
  to: number
  /** Events accepted in this time. */
  events: number
  /** How long agents waited for a person, longest median first. */
  waits: WaitRow[]
  /** Number of answered waits by duration, shortest first. */
  answers: Count[]
  /** Number of answered questions by where they were answered, most frequent first. */
  places: Count[]
  /** How long turns took, longest median first. */
  turns: TurnRow[]
  /** By day, in this machine's time zone: messages, and events that nobody was told of. */
  days: { date: string; messages: number; notTold: number }[]
  channels: ChannelUse[]
  /** Why something was not sent to a channel, most frequent first. */
  suppressed: Count[]
}

/** Unix ms. It includes `from`, but not `to`. */
export interface Period {
  from: number
  to: number
}

const MINUTE_MS = 60_000
const speeds: [string, number][] = [
  ['under 1 min', MINUTE_MS],
  ['1 to 5 min', 5 * MINUTE_MS],
  ['5 to 30 min', 30 * MINUTE_MS],
  ['30 min to 2 h', 120 * MINUTE_MS],
  ['over 2 h', Number.POSITIVE_INFINITY],
]

/**
 * Sums up the journal: waiting times, turns, channels, and events that were not sent. Events of hookbell itself do not
 * count, and events such as prompts do not count as not sent.
 */
export function makeReport(entries: readonly JournalEntry[], period: Period): Report {
  const work = new AgentWork(entries)
  const isIn = (at: number) => at >= period.from && at < period.to
  const accepted = entries.filter(
    (entry): entry is AcceptedEntry =>
      entry.type === 'accepted' && isIn(entry.acceptedAt) && !isOwnEvent(entry),
  )
  const entriesFor = (events: readonly AcceptedEntry[]) => {
    const ids = new Set(events.map(({ id }) => id))
    return entries.filter(({ id }) => ids.has(id))
  }
  const news = accepted.filter((entry) => !isBookkeeping(entry))
  const waits = work.waits.filter(({ at }) => isIn(at))
  return {
    ...period,
    events: new Set(accepted.map(({ id }) => id)).size,
    waits: waitRows(waits),
    answers: answerCounts(waits),
    places: placeCounts(waits),
    turns: turnRows(work.turns.filter(({ at }) => isIn(at))),
    days: daysOf(news, entriesFor(accepted)),
    channels: channelUse(entriesFor(accepted)),
    suppressed: suppressions(entriesFor(news)),
  }
}

/** Whether nobody wants to be told of it: hooks for prompts and the like only show how long a turn took. */
function isBookkeeping({ kind, to = [], trace = [] }: AcceptedEntry): boolean {
  const isRouted = to.length > 0 || trace.some(({ verdict }) => verdict === 'matched')
  return kind === 'other' && !isRouted
}

function waitRows(waits: readonly Wait[]): WaitRow[] {
  return groupBy(waits, ({ project, kind }) => `${project}\n${kind}`)
    .map(([first, group]) => waitRow(first, group))
    .sort((one, other) => (other.medianMs ?? -1) - (one.medianMs ?? -1))
}

/** The groups of items with the same key, each with its first item. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, Item[]][] {
  const groups = new Map<string, [Item, Item[]]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key) ?? [item, []]
    group[1].push(item)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function waitRow({ project, kind }: Wait, waits: readonly Wait[]): WaitRow {
  const times = answeredMs(waits)
  return {
    ...{ project, kind, waits: waits.length, answered: waits.filter(isAnswered).length },
    open: waits.filter(({ end }) => !end).length,
    medianMs: quantile(times, 0.5),
    p90Ms: quantile(times, 0.9),
    longestMs: times.at(-1) ?? null,
  }
}

/** After a turn the agent may go on by itself: then nobody has answered. */
function isAnswered({ asks, end }: Wait): boolean {
  return end !== undefined && end.how !== 'none' && (asks || end.how !== 'went-on')
}

/** Durations of the waits whose answer has a known time, ms, shortest first. */
function answeredMs(waits: readonly Wait[]): number[] {
  return waits
    .flatMap(({ at, end }) =>
      !end || end.how === 'none' || end.how === 'went-on' ? [] : [Math.max(0, end.at - at)],
    )
    .sort((one, other) => one - other)
}

function turnRows(turns: readonly Turn[]): TurnRow[] {
  const known = turns.flatMap((turn) =>
    turn.tookMs === undefined ? [] : [{ ...turn, tookMs: turn.tookMs }],
  )
  const medianOf = (times: number[]) =>
    quantile(
      times.sort((one, other) => one - other),
      0.5,
    ) ?? 0
  return groupBy(known, ({ project }) => project)
    .map(([{ project }, group]) => ({
      project,
      turns: group.length,
      medianMs: medianOf(group.map(({ tookMs }) => tookMs)),
      medianWorkMs: medianOf(group.map(({ tookMs, waitingMs }) => tookMs - waitingMs)),
    }))
    .sort((one, other) => other.medianMs - one.medianMs)
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed; null if there are no values. */
export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

function answerCounts(waits: readonly Wait[]): Count[] {
  const names = answeredMs(waits).map((ms) => speeds.find(([, limit]) => ms < limit)?.[0] ?? '')
  const counts = new Map(countByName(names).map(({ name, count }) => [name, count]))
  return speeds.map(([name]) => ({ name, count: counts.get(name) ?? 0 }))
}

function placeCounts(waits: readonly Wait[]): Count[] {
  const answered = waits.filter((wait) => wait.asks && isAnswered(wait))
  return countByName(answered.map(({ end }) => placeOf(end?.place)))
}

function placeOf(place: string | undefined): string {
  return place === 'command' ? 'hookbell answer' : (place ?? 'where the agent asks')
}

function daysOf(accepted: readonly AcceptedEntry[], entries: readonly JournalEntry[]) {
  const told = entries.filter((entry) => entry.type === 'delivered')
  const sentIds = new Set(told.map(({ id }) => id))
  const messages = countByName(
    told.filter(({ summary }) => !summary).map(({ at }) => formatDate(at)),
  )
  const silent = accepted.filter(({ id }) => !sentIds.has(id))
  const notTold = countByName(silent.map(({ acceptedAt }) => formatDate(acceptedAt)))
  const countOn = (counts: readonly Count[], date: string) =>
    counts.find(({ name }) => name === date)?.count ?? 0
  const dates = new Set([...messages, ...notTold].map(({ name }) => name))
  return [...dates].sort().map((date) => {
    return { date, messages: countOn(messages, date), notTold: countOn(notTold, date) }
  })
}

/** How often each name occurs, most frequent first. */
function countByName(names: readonly string[]): Count[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count)
}

/** Why events were not sent, most frequent first: the name of the rule, else the reason. Each channel counts. */
function suppressions(entries: readonly JournalEntry[]): Count[] {
  const history = new EventHistory()
  for (const entry of entries) history.add(entry)
  return countByName([...history.byId.values()].flatMap(whyNotSent))
}

/** One name for each channel that did not get the event; one in all if no channel was chosen. */
function whyNotSent({ trace, channels, outcome, reason }: EventStatus): string[] {
  const atOnce = trace.filter(({ verdict }) => verdict === 'suppress')
  const ruled = new Set(atOnce.map(({ channel }) => channel))
  const later = Object.entries(channels)
    .filter(([name, { state }]) => state === 'suppressed' && !ruled.has(name))
    .map(([, { detail }]) => ruleOf(detail))
  const names = [...atOnce.map(({ by }) => by), ...later]
  if (names.length > 0 || outcome !== 'suppressed') return names
  return [reason === '' ? 'no channel was available' : ruleOf(reason)]
}

/** A mute that came later is recorded with its end instead of the rule's name: it is counted with the others. */
function ruleOf(reason: string): string {
  return /^Muted (until|without) /.test(reason) ? 'mute' : reason
}

/** By channel, the most used first. */
function channelUse(entries: readonly JournalEntry[]): ChannelUse[] {
  const channels = new Map<string, ChannelUse>()
  const useOf = (name: string) => {
    const none = { messages: 0, events: 0, retries: 0, failed: 0, unavailable: 0 }
    const use = channels.get(name) ?? { name, ...none }
    channels.set(name, use)
    return use
  }
  for (const entry of entries) {
    if (entry.type === 'delivered') {
      const use = useOf(entry.channel)
      use.events += 1
      use.messages += entry.summary ? 0 : 1
    }
    if (entry.type === 'deferred') useOf(entry.channel).retries += 1
    if (entry.type === 'exhausted') useOf(entry.channel).failed += 1
    if (entry.type === 'unavailable') useOf(entry.channel).unavailable += 1
  }
  return [...channels.values()].sort((one, other) => other.messages - one.messages)
}
