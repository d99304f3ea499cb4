import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '../../deliver/attempt.ts'
import { disturbsSomebody } from '../../deliver/audience.ts'
import { type Delivery, deliveryId } from '../../delivery.ts'
import { isUrgent } from '../../event/event.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { channelsOf, type EventStatus, hasFailed, isFailure } from '../../journal/history.ts'
import type { Open } from '../../spool/card.ts'
import { requestedAt } from '../../spool/requests.ts'
import { PURGED } from '../control.ts'
import type { WorkerDeps } from '../deps.ts'
import { readStatuses } from '../read-statuses.ts'
import { heldUntil } from './judge-again.ts'

/** The outcome of a delivery that was attempted or dropped. */
type Ended = Exclude<Outcome, { type: 'released' }>

/** The outcome of a delivery that was not sent, and may be kept. */
type Unsent = Extract<Ended, { delivery: Delivery }>

/** One of the deliveries that a message combines, as it is kept. */
type Part = Pick<Open, 'delivery' | 'group'>

const purged = { type: 'expired', reason: PURGED } as const

/** What is known of a delivery when it is queued. */
interface Queued {
  /** Since when it waits for its attempt, Unix ms: a later purge drops it. */
  since: number
  /** The deliveries that it combines, each of which is kept by itself. */
  parts?: () => readonly Part[]
}

/** The longest pause before writing to a full spool is tried again. */
const MAX_PAUSE_MS = 60_000

/**
 * Delivers, or keeps the delivery on the disk until its next attempt, and records the outcome.
 * @param load makes the delivery again, whose text the queue may drop
 * @returns false if it was released unattempted, such as because the worker ends
 */
export function deliverAndSettle(
  delivery: Delivery,
  load: () => Promise<Delivery>,
  deps: WorkerDeps,
  queued: Queued,
): Promise<boolean> {
  // Not an async function, which would keep its arguments until it ends: while many deliveries wait, the queue drops
  // their texts.
  const ending = isPurged(queued.since, deps)
    ? Promise.resolve(purged)
    : deps.deliverer.deliver(delivery, load)
  return settle(ending, withoutText(delivery), deps, queued)
}

function withoutText(delivery: Delivery): Delivery {
  return { ...delivery, message: { ...delivery.message, body: '', markup: '' } }
}

async function settle(
  ending: Promise<Outcome>,
  short: Delivery,
  deps: WorkerDeps,
  queued: Queued,
): Promise<boolean> {
  const outcome = unlessPurged(await ending, queued.since, deps)
  if (outcome.type === 'released') return false
  try {
    if ('delivery' in outcome) await keep(outcome, deps, queued.parts)
  } catch {
    return await retryInMemory(outcome, deps, queued)
  }
  await recordOutcome(short, outcome, deps)
  return true
}

/** Whether a person has purged what waits since then. A purge in the future does not count: the clock was set back. */
export function isPurged(since: number, { stateDir, now }: WorkerDeps): boolean {
  const at = requestedAt(stateDir, 'purge')
  return at > 0 && since <= at && at <= now()
}

/** What was purged while it was queued or being sent is tried again neither by this worker nor by the next one. */
function unlessPurged(outcome: Outcome, since: number, deps: WorkerDeps): Outcome {
  const isKept = ['deferred', 'held', 'released'].includes(outcome.type)
  return isKept && isPurged(since, deps) ? purged : outcome
}

/** The spool is full. */
async function retryInMemory(outcome: Ended, deps: WorkerDeps, queued: Queued): Promise<boolean> {
  if (!('delivery' in outcome)) return false
  const { delivery } = outcome
  if (outcome.type === 'held') {
    // Sent too early rather than never, as when it is first held.
    const early = { ...delivery, isUnconditional: true }
    return await deliverAndSettle(early, async () => early, deps, queued)
  }
  const pauseMs = outcome.type === 'deferred' ? outcome.until - deps.now() : MAX_PAUSE_MS
  await sleep(Math.min(Math.max(pauseMs, 0), MAX_PAUSE_MS))
  return await deliverAndSettle(delivery, async () => delivery, deps, queued)
}

/** Gives up a delivery that is not tried again. @throws the system error if it cannot be stored in dead/ */
export async function giveUp(delivery: Delivery, reason: string, deps: WorkerDeps): Promise<void> {
  const outcome = { type: 'exhausted', attempt: delivery.attempts, reason, delivery } as const
  await keep(outcome, deps)
  await recordOutcome(delivery, outcome, deps)
}

/** Records the outcome, and does what depends on it. */
async function recordOutcome(delivery: Delivery, outcome: Ended, deps: WorkerDeps) {
  const entries = entriesFor(delivery, outcome, deps)
  await Promise.all(entries.map((entry) => deps.journal.append(entry)))
  await deps.notices.ended(delivery, outcome)
  await deps.alarms.ended(delivery, outcome)
  // The session may have gone on while its message was on its way.
  if (outcome.type === 'delivered') await deps.open.review(delivery.message)
  if (isFailure(outcome.type)) await reviewSteps(delivery, deps)
}

/** Keeps the delivery on the disk before it is recorded: otherwise a crash in between would lose it. */
async function keep(outcome: Unsent, { store, now }: WorkerDeps, parts?: () => readonly Part[]) {
  const { type, reason } = outcome
  const all = partsOf(outcome, parts)
  if (type === 'deferred') {
    const { until: notBefore, isAsked } = outcome
    const why = { state: 'deferred', reason, isAsked } as const
    const kept = all.map((one) =>
      store.keep({ ...one, ...why, delivery: { ...one.delivery, notBefore } }),
    )
    await Promise.all(kept)
  }
  if (type === 'held') {
    const { group, dueOtherwise } = outcome
    const why = { state: 'held', reason, group, dueOtherwise } as const
    const at = now()
    await Promise.all(
      all.map(({ delivery }) => store.keep({ ...why, delivery: heldUntil(delivery, outcome, at) })),
    )
  }
  if (type === 'exhausted') {
    await Promise.all(all.map(({ delivery }) => store.keep({ state: 'dead', reason, delivery })))
  }
}

/** What is kept of a delivery that was not sent: each delivery that it combines, with the attempts that were made. */
function partsOf({ delivery }: Unsent, parts?: () => readonly Part[]): readonly Part[] {
  if (!parts || delivery.events.length === 1) return [{ delivery }]
  const { attempts, firstTriedAt, remaining } = delivery
  return parts().map(({ group, delivery: { isUnconditional: _, ...own } }) => ({
    group,
    delivery: { ...own, attempts, firstTriedAt, ...(remaining && { remaining }) },
  }))
}

/** One entry per event. */
function entriesFor(
  { events, channel }: Delivery,
  outcome: Ended,
  { now }: WorkerDeps,
): JournalEntry[] {
  const at = now()
  if (outcome.type === 'expired') {
    const { reason } = outcome
    return events.map((id) => ({ at, id, type: 'suppressed', channel, reason }))
  }
  if (outcome.type === 'held') {
    const { type, delivery: _, dueOtherwise: _due, ...hold } = outcome
    return events.map((id) => ({ at, id, type, channel, ...hold }))
  }
  if (outcome.type === 'deferred') {
    const { type, attempt, reason, until } = outcome
    return events.map((id) => ({ at, id, type, channel, attempt, reason, until }))
  }
  if (outcome.type === 'delivered') {
    const { attempt, ms, answer, summary } = outcome
    const lead = summary ?? events[0] ?? ''
    return events.map((id) => ({
      at,
      id,
      type: 'delivered',
      channel,
      attempt,
      ms,
      answer,
      ...(id !== lead && { summary: lead }),
    }))
  }
  const { type, attempt, reason } = outcome
  return events.map((id) => ({ at, id, type, channel, attempt, reason }))
}

/**
 * Call this with a delivery that failed for good: the next step of its route may be due at once. Only for urgent kinds:
 * the end of a turn can wait.
 */
export async function reviewSteps(
  { kind, events }: { kind: string; events: readonly string[] },
  deps: WorkerDeps,
): Promise<void> {
  const { config, stateDir, store } = deps
  const hasSteps = config.recent().config.routes.some(({ steps }) => steps !== undefined)
  if (!hasSteps || !isUrgent(kind)) return
  for (const status of (await readStatuses(stateDir, events)).values()) {
    const next = heldChannels(status).filter((channel) => isDueAtOnce(status, channel, deps))
    store.review(next.map((channel) => deliveryId(status.id, channel)))
  }
}

/**
 * Whether a later step is sent before its time, because all channels before it have failed for good: nobody has seen
 * the event, so nobody can answer before the step. Records it if so.
 */
export async function isBroughtForward(
  { delivery, earliest }: Pick<Open, 'delivery' | 'earliest'>,
  deps: WorkerDeps,
): Promise<boolean> {
  const { events, kind, channel } = delivery
  const { stateDir, journal, now } = deps
  const at = now()
  if (earliest === undefined || earliest > at || !isUrgent(kind)) return false
  const [id = ''] = events
  const status = (await readStatuses(stateDir, [id])).get(id)
  if (!status || !isDueAtOnce(status, channel, deps)) return false
  const reason = 'the steps before it reached nobody'
  await journal.append({ at, id, type: 'held', channel, until: at, reason })
  return true
}

/** Whether all channels of earlier steps that disturb somebody have failed for good. */
function isDueAtOnce(status: EventStatus, channel: string, { config }: WorkerDeps): boolean {
  const before = channelsOf(status).filter(
    (name) =>
      plannedFor(status, name) < plannedFor(status, channel) &&
      disturbsSomebody(name, config.recent().config),
  )
  return before.length > 0 && before.every((name) => hasFailed(status, name))
}

function heldChannels({ channels }: EventStatus): string[] {
  return Object.keys(channels).filter((name) => channels[name]?.state === 'held')
}

/** When the step of the channel is due, Unix ms, even if the channel was brought forward; 0 for the first step. */
function plannedFor({ channels }: EventStatus, name: string): number {
  return channels[name]?.plannedFor ?? 0
}
