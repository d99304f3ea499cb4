import type { AcceptedEntry, AnswerSign, GivenAnswer, JournalEntry, TraceStep } from './entry.ts'

export const outcomes = ['delivered', 'suppressed', 'undelivered', 'dead', 'waiting'] as const
export type Outcome = (typeof outcomes)[number]

export interface ChannelStatus {
  state: 'delivered' | 'unavailable' | 'deferred' | 'held' | 'exhausted' | 'suppressed'
  attempts: number
  /** The receiver's answer, or why it was not delivered. */
  detail: string
  /** When it settled or is tried again, Unix ms. */
  at: number
  /** The time for which it was held at first, Unix ms. Absent if it was not held. */
  plannedFor?: number
}

/** How a question ended: what showed its answer, and when that was at the latest, Unix ms. `none`: its session ended first. */
export interface QuestionEnd extends GivenAnswer {
  how: AnswerSign | 'none'
  at: number
}

/** The status of one event so far. */
export interface EventStatus {
  id: string
  acceptedAt: number
  event: string
  kind: string
  client: string
  sessionId: string
  project: string
  /** The program around the client, if one is known. */
  surface?: string
  title: string
  text: string
  problems: string[]
  trace: TraceStep[]
  /** Why nothing was sent, or why the event could not be handled; '' otherwise. */
  reason: string
  channels: { [name: string]: ChannelStatus }
  /** The channels that were chosen for it. */
  to: string[]
  /** For a question: those of `to` that people read. */
  people?: string[]
  /** For a question that is over. */
  answer?: QuestionEnd
  outcome: Outcome
}

/** Folds the journal into one status per event, in the order of acceptance. */
export class EventHistory {
  readonly byId = new Map<string, EventStatus>()

  add(entry: JournalEntry) {
    const status = this.byId.get(entry.id) ?? emptyStatus(entry.id, entry.at)
    this.byId.set(entry.id, status)
    applyEntry(status, entry)
  }
}

/** Applies one entry to the status of its event. */
export function applyEntry(status: EventStatus, entry: JournalEntry) {
  switch (entry.type) {
    case 'accepted':
      accept(status, entry)
      // A first attempt may be recorded before the acceptance.
      if (Object.keys(status.channels).length > 0) status.outcome = outcomeOf(status)
      return
    case 'suppressed':
      if (entry.channel !== undefined) return setChannel(status, entry.channel, entry)
      dropOpen(status, entry)
      return
    case 'unusable':
      Object.assign(status, { reason: entry.reason, outcome: 'dead' })
      status.client = entry.client ?? status.client
      return
    case 'retried':
      for (const [name, { state }] of Object.entries(status.channels)) {
        if (state === 'exhausted') delete status.channels[name]
      }
      status.reason = ''
      // Settled channels stay settled. If no channel is open, no further entry follows that would set the outcome.
      status.outcome = Object.keys(status.channels).length > 0 ? outcomeOf(status) : 'waiting'
      return
    case 'undelivered':
      Object.assign(status, { reason: entry.reason, outcome: 'undelivered' })
      return
    case 'answered':
    case 'unanswered':
      status.answer ??= questionEnd(entry)
      return
    case 'withdrawn':
    case 'not-taken':
      return
    case 'dropped':
      return drop(status, entry)
    default:
      setChannel(status, entry.channel, entry)
  }
}

/** What an entry says of the end of a question. */
export function questionEnd(entry: EndEntry): QuestionEnd {
  if (entry.type === 'unanswered') return { how: 'none', at: entry.at }
  const { how, answeredAt: at, answer, place, channel, person } = entry
  const where = { ...(place && { place }), ...(channel && { channel }), ...(person && { person }) }
  return { how, at, ...(answer && { answer }), ...where }
}

type EndEntry = Extract<JournalEntry, { type: 'answered' | 'unanswered' }>

/** Marks everything that still waits as suppressed. */
function dropOpen(status: EventStatus, { reason, at }: { reason: string; at: number }) {
  for (const name of channelsOf(status).filter((one) => isOpen(status, one))) {
    suppress(status, name, { reason, at })
  }
  Object.assign(status, { reason, outcome: outcomeOf(status) })
}

/** What was removed counts as suppressed from now on. */
function drop(status: EventStatus, { channel, reason = 'dropped', at }: DroppedEntry) {
  const dead = Object.keys(status.channels).filter(
    (name) => status.channels[name]?.state === 'exhausted',
  )
  for (const name of channel === undefined ? dead : [channel])
    suppress(status, name, { reason, at })
  if (channel === undefined) dropOpen(status, { reason, at })
  else status.outcome = outcomeOf(status)
}

function suppress(
  status: EventStatus,
  name: string,
  { reason, at }: { reason: string; at: number },
) {
  const attempts = status.channels[name]?.attempts ?? 0
  status.channels[name] = { state: 'suppressed', attempts, detail: reason, at }
}

type DroppedEntry = Extract<JournalEntry, { type: 'dropped' }>

function accept(status: EventStatus, entry: AcceptedEntry) {
  // Not with Object.assign, which takes longer than JSON.parse.
  status.event = entry.event
  status.kind = entry.kind
  status.client = entry.client
  status.sessionId = entry.sessionId
  status.project = entry.project
  status.title = entry.title
  status.acceptedAt = entry.acceptedAt
  status.text = entry.text ?? ''
  status.problems = entry.problems ?? []
  status.to = entry.to ?? []
  status.trace = entry.trace ?? []
  const { people = [] } = entry
  if (entry.facts?.surface) status.surface = entry.facts.surface
  // An empty list means the same as none.
  if (people.length > 0) status.people = people
}

type ChannelEntry = Extract<JournalEntry, { type: ChannelStatus['state'] }>

function setChannel(status: EventStatus, channel: string, entry: ChannelEntry) {
  const before = status.channels[channel]
  const until = entry.type === 'held' ? entry.until : undefined
  // A delivery that was tried before it was held is not a later step.
  const plannedFor = before ? before.plannedFor : until
  status.channels[channel] = {
    state: entry.type,
    attempts: 'attempt' in entry ? entry.attempt : (before?.attempts ?? 0),
    detail: entry.type === 'delivered' ? entry.answer : entry.reason,
    at: 'until' in entry ? entry.until : entry.at,
    ...(plannedFor !== undefined && { plannedFor }),
  }
  status.outcome = outcomeOf(status)
}

/** The one outcome of an event. What needs a person's attention takes precedence. */
function outcomeOf(status: EventStatus): Outcome {
  if (isUnseen(status)) return 'undelivered'
  const isOpenOn = (name: string) => isOpen(status, name)
  if (status.to.some(isOpenOn) || Object.keys(status.channels).some(isOpenOn)) return 'waiting'
  const states = Object.values(status.channels).map(({ state }) => state)
  if (states.includes('exhausted')) return 'dead'
  return states.includes('delivered') ? 'delivered' : 'suppressed'
}

/** Whether nobody can have seen the question. Only channels for people count, and any channel that reported it late. */
function isUnseen(status: EventStatus): boolean {
  const { channels, to, people = [] } = status
  if (people.length === 0) return false
  const isReportedLate = Object.entries(channels).some(
    ([name, { state }]) => state === 'delivered' && !to.includes(name),
  )
  return people.every((name) => hasFailed(status, name)) && !isReportedLate
}

/** Whether its acceptance is recorded: an attempt may be recorded before that. An accepted event has a title. */
export function isAccepted({ title }: Pick<EventStatus, 'title'>): boolean {
  return title !== ''
}

/** Whether the channel has no result yet. */
export function isOpen({ channels }: Pick<EventStatus, 'channels'>, name: string): boolean {
  const state = channels[name]?.state
  return state === undefined || isWaitingToSend(state)
}

/** Whether a delivery in this state waits for its time. */
export function isWaitingToSend(state: ChannelStatus['state']): boolean {
  return state === 'deferred' || state === 'held'
}

/** All channels of the event: those that were chosen for it, and those that mentioned it later. */
export function channelsOf({ to, channels }: Pick<EventStatus, 'to' | 'channels'>): string[] {
  return [...new Set([...to, ...Object.keys(channels)])]
}

/** Whether the channel has failed for good. */
export function hasFailed({ channels }: Pick<EventStatus, 'channels'>, name: string): boolean {
  return isFailure(channels[name]?.state)
}

/** Whether a delivery of the event gave up and is in dead/, whatever became of its other deliveries. */
export function hasDead({ outcome, channels }: DeadState): boolean {
  return outcome === 'dead' || Object.values(channels).some(({ state }) => state === 'exhausted')
}

interface DeadState {
  outcome: Outcome
  channels: { [name: string]: Pick<ChannelStatus, 'state'> }
}

/** Whether the outcome of a delivery is a failure for good. */
export function isFailure(outcome: string | undefined): boolean {
  return outcome === 'unavailable' || outcome === 'exhausted'
}

export function emptyStatus(id: string, at: number): EventStatus {
  return {
    id,
    acceptedAt: at,
    event: 'unknown',
    kind: 'other',
    client: 'unknown',
    ...{ sessionId: '', project: '', title: '', text: '' },
    problems: [],
    trace: [],
    reason: '',
    channels: {},
    to: [],
    outcome: 'waiting',
  }
}
