import { recordId } from '../../src/hub/record.ts'
import { readJournal } from '../../src/journal/read.ts'
import { isFull } from '../support/runs.ts'
import type { HubProcess, Machine } from './_fleet.ts'

const perMachine = isFull ? Number(process.env.HOOKBELL_SWEEP ?? 10_000) : 40
const SESSIONS = 6
export const fast = Array.from({ length: 10 }, (_, index) => `fast${index}`)
/** Destinations with the rate limit of Slack. */
export const slow = Array.from({ length: 10 }, (_, index) => `slow${index}`)
export const all = [...fast, ...slow]

export interface Event {
  /** The event id on its machine. */
  id: string
  machine: number
  session: number
  number: number
  channel: string
  isQuestion: boolean
}

export const tag = ({ machine, session, number }: Omit<Event, 'id'>) =>
  `${machine}-${session}-${number}`

/** Fills the spool of one machine. Returns its events by the ids under which a hub knows them. */
export function fill(machine: Machine, index: number): Map<string, Event> {
  const events = Array.from({ length: perMachine }, (_, number) => {
    const channel = all[(number * 7 + index) % all.length] ?? ''
    const event = { machine: index, session: number % SESSIONS, number, channel }
    const isQuestion = number % 25 === 24
    const tell = isQuestion ? machine.ask : machine.finish
    // A session has one project, and a later event of it would answer a question, so a question has its own session.
    const session = isQuestion ? `question ${number}` : `${channel} ${event.session}`
    const id = tell(channel, session, `#${tag({ ...event, isQuestion })}#`)
    return [recordId([id], channel), { ...event, id, isQuestion }] as const
  })
  return new Map(events)
}

/**
 * The log lines of messages that were delivered alone or in a summary, in the order in which the hubs wrote them. If a
 * hub was killed right after it delivered a message, the only line about it is the `repeat` of another hub.
 */
export const toldBy = (hubs: readonly HubProcess[]) =>
  hubs
    .flatMap((hub) => hub.lines())
    .filter(({ state }) => ['delivered', 'summarized', 'repeat'].includes(state))
    .sort((a, b) => a.at - b.at)

export const tagOf = (body: string) => body.match(/#(\d+-\d+-\d+)#/)?.[1] ?? ''

/** The number of events that a message covers. */
export const countIn = (body: string) => 1 + Number(body.match(/and (\d+) more/)?.[1] ?? 0)

/** The reasons why machines had to retry a handover, with how often each occurred. */
export async function handedOverAgain(machines: readonly Machine[]) {
  const reasons = new Map<string, number>()
  for (const { state } of machines)
    for await (const entry of readJournal(state))
      if (entry.type === 'deferred') reasons.set(entry.reason, (reasons.get(entry.reason) ?? 0) + 1)
  return Object.fromEntries(reasons)
}

/** Events that were delivered out of order within a session. Questions may overtake others. */
export function disorder(told: readonly Event[]): string[] {
  const last = new Map<string, number>()
  return told.flatMap(({ machine, session, channel, number, isQuestion }) => {
    if (isQuestion) return []
    const line = `${machine} ${session} ${channel}`
    const before = last.get(line) ?? -1
    last.set(line, number)
    return number < before ? [`${line}: ${number} after ${before}`] : []
  })
}

/** Questions at a slow destination that were overtaken by more deliveries than those already in progress. */
export function overtaken(lines: ReturnType<typeof toldBy>, events: ReadonlyMap<string, Event>) {
  const alone = lines.filter(({ id, state }) => state === 'delivered' && id.includes('.slow'))
  return alone.flatMap((question) => {
    const { channel, isQuestion } = events.get(question.id) as Event
    if (!isQuestion) return []
    const cameAt = question.at - Number(question.waitedMs)
    const before = alone.filter(({ id, at, ms }) => {
      const other = events.get(id) as Event
      const isBetween = at - Number(ms) > cameAt && at < question.at
      return other.channel === channel && !other.isQuestion && isBetween
    })
    return before.length > 2 ? [`${question.id} after ${before.length} others`] : []
  })
}
