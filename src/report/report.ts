import { CANARY_EVENT } from '../journal/canary.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import { formatDate } from '../text/local-time.ts'
import { type ChannelUse, channelUse } from './channel-use.ts'
import { type Count, countByName } from './counts.ts'
import { suppressions } from './suppressions.ts'
import { type Wait, Waits } from './waits.ts'

/** The waits of one project and kind. Times, in ms, are of waits that a person ended; null if there is none. */
export interface WaitRow {
  project: string
  kind: string
  waits: number
  answered: number
  /** Still open. */
  open: number
  medianMs: number | null
  p90Ms: number | null
  longestMs: number | null
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
 * Sums up the journal: waiting times, channels, and events that were not sent. Test events of `doctor` do not count,
 * and events such as prompts do not count as not sent.
 */
export function makeReport(entries: readonly JournalEntry[], period: Period): Report {
  const waits = new Waits()
  for (const entry of entries) waits.add(entry)
  const isIn = (at: number) => at >= period.from && at < period.to
  const accepted = entries.filter(
    (entry): entry is AcceptedEntry =>
      entry.type === 'accepted' && isIn(entry.acceptedAt) && entry.event !== CANARY_EVENT,
  )
  const entriesFor = (events: readonly AcceptedEntry[]) => {
    const ids = new Set(events.map(({ id }) => id))
    return entries.filter(({ id }) => ids.has(id))
  }
  const news = accepted.filter((entry) => !isBookkeeping(entry))
  const begun = waits.all.filter(({ at }) => isIn(at))
  return {
    ...period,
    events: new Set(accepted.map(({ id }) => id)).size,
    waits: waitRows(begun),
    answers: answerCounts(begun),
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
  const groups = new Map<string, Wait[]>()
  for (const wait of waits) {
    const key = `${wait.project}\n${wait.kind}`
    groups.set(key, [...(groups.get(key) ?? []), wait])
  }
  return [...groups.values()]
    .flatMap((group) => (group[0] ? [waitRow(group[0], group)] : []))
    .sort((one, other) => (other.medianMs ?? -1) - (one.medianMs ?? -1))
}

function waitRow({ project, kind }: Wait, waits: readonly Wait[]): WaitRow {
  const times = answeredMs(waits)
  return {
    ...{ project, kind, waits: waits.length, answered: times.length },
    open: waits.filter(({ end }) => end === 'open').length,
    medianMs: quantile(times, 0.5),
    p90Ms: quantile(times, 0.9),
    longestMs: times.at(-1) ?? null,
  }
}

/** Durations of the answered waits, ms, shortest first. */
function answeredMs(waits: readonly Wait[]): number[] {
  return waits
    .filter(({ end }) => end === 'answered')
    .map(({ at, until = at }) => until - at)
    .sort((one, other) => one - other)
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

function daysOf(accepted: readonly AcceptedEntry[], entries: readonly JournalEntry[]) {
  const told = entries.filter((entry) => entry.type === 'delivered')
  const toldIds = new Set(told.map(({ id }) => id))
  const messages = countByName(
    told.filter(({ summary }) => !summary).map(({ at }) => formatDate(at)),
  )
  const silent = accepted.filter(({ id }) => !toldIds.has(id))
  const notTold = countByName(silent.map(({ acceptedAt }) => formatDate(acceptedAt)))
  const countOn = (counts: readonly Count[], date: string) =>
    counts.find(({ name }) => name === date)?.count ?? 0
  const dates = new Set([...messages, ...notTold].map(({ name }) => name))
  return [...dates].sort().map((date) => {
    return { date, messages: countOn(messages, date), notTold: countOn(notTold, date) }
  })
}
