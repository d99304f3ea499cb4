import type { JournalEntry } from './entry.ts'

export const outcomes = ['delivered', 'suppressed', 'dead', 'waiting'] as const
export type Outcome = (typeof outcomes)[number]

export interface ChannelStatus {
  state: 'delivered' | 'not-here' | 'deferred' | 'gave-up'
  attempts: number
  /** The receiver's answer, or why it was not delivered. */
  detail: string
  /** When it settled or is tried again, Unix ms. */
  at: number
}

/** What became of one event so far. */
export interface EventStatus {
  id: string
  acceptedAt: number
  event: string
  kind: string
  client: string
  sessionId: string
  project: string
  title: string
  problems: string[]
  /** Why nothing was sent, or why nothing could be made of it; '' otherwise. */
  reason: string
  channels: { [name: string]: ChannelStatus }
  /** The channels that were chosen for it. */
  to: string[]
  outcome: Outcome
}

/** Folds the journal into one account per event, in the order of acceptance. */
export class EventHistory {
  readonly byId = new Map<string, EventStatus>()

  /** An event that is accepted, but that no worker has looked at. */
  expect(id: string) {
    if (!this.byId.has(id)) this.byId.set(id, emptyStatus(id, Date.now()))
  }

  add(entry: JournalEntry) {
    const account = this.byId.get(entry.id) ?? emptyStatus(entry.id, entry.at)
    this.byId.set(entry.id, account)
    applyRecord(account, entry)
    if (entry.type === 'dropped') this.byId.delete(entry.id)
  }
}

function applyRecord(account: EventStatus, entry: JournalEntry) {
  switch (entry.type) {
    case 'accepted': {
      const {
        event,
        kind,
        client,
        sessionId,
        project,
        title,
        acceptedAt,
        problems = [],
        to = [],
      } = entry
      Object.assign(account, {
        event,
        kind,
        client,
        sessionId,
        project,
        title,
        acceptedAt,
        problems,
        to,
      })
      return
    }
    case 'suppressed':
      Object.assign(account, { reason: entry.reason, outcome: 'suppressed' })
      return
    case 'unusable':
      Object.assign(account, { reason: entry.reason, outcome: 'dead' })
      account.client = entry.client ?? account.client
      return
    case 'retried':
      Object.assign(account, { reason: '', outcome: 'waiting' })
      for (const [name, { state }] of Object.entries(account.channels)) {
        if (state === 'gave-up') delete account.channels[name]
      }
      return
    case 'dropped':
      return
    default:
      account.channels[entry.channel] = {
        state: entry.type,
        attempts: entry.attempt,
        detail: entry.type === 'delivered' ? entry.answer : entry.reason,
        at: entry.type === 'deferred' ? entry.until : entry.at,
      }
      account.outcome = outcomeOf(account)
  }
}

/** One event, one outcome: what still needs a person's eye comes first. */
function outcomeOf({ channels, to }: EventStatus): Outcome {
  const states = Object.values(channels).map(({ state }) => state)
  const isOpen = to.some((name) => !Object.hasOwn(channels, name))
  if (isOpen || states.includes('deferred')) return 'waiting'
  if (states.includes('gave-up')) return 'dead'
  return states.includes('delivered') ? 'delivered' : 'suppressed'
}

function emptyStatus(id: string, at: number): EventStatus {
  return {
    id,
    acceptedAt: at,
    event: 'unknown',
    kind: 'other',
    client: 'unknown',
    sessionId: '',
    project: '',
    title: '',
    problems: [],
    reason: '',
    channels: {},
    to: [],
    outcome: 'waiting',
  }
}
