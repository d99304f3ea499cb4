import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '../../deliver/outcome.ts'
import type { Delivery } from '../../delivery.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { isFailure } from '../../journal/history.ts'
import type { WorkerDeps } from '../deps.ts'
import { PURGED, purgedAt } from '../purged.ts'
import { reviewSteps } from './next-step.ts'
import { putOff } from './rules-at-attempt.ts'

/** The outcome of a delivery that was attempted or dropped. */
type Ended = Exclude<Outcome, { type: 'released' }>

/** The outcome of a delivery that was not sent, and may be kept. */
type Unsent = Extract<Ended, { delivery: Delivery }>

/** The longest pause before writing to a full spool is tried again. */
const MAX_PAUSE_MS = 60_000

/**
 * Deliveries that are stored or being stored: a summary is stored once, though each of its deliveries gets the same
 * outcome.
 */
const kept = new WeakMap<Delivery, Promise<void>>()

/**
 * Delivers, or parks the delivery on the disk until its next attempt, and records the outcome.
 * @returns false if it was released unattempted, such as because the worker ends
 */
export function deliverAndSettle(
  delivery: Delivery,
  load: () => Promise<Delivery>,
  deps: WorkerDeps,
): Promise<boolean> {
  // Not an async function, which would keep its arguments until it ends: while many deliveries wait, the queue drops
  // their texts.
  return settle(deps.deliverer.deliver(delivery, load), withoutText(delivery), load, deps)
}

function withoutText(delivery: Delivery): Delivery {
  return { ...delivery, message: { ...delivery.message, body: '', markup: '' } }
}

async function settle(
  ending: Promise<Outcome>,
  short: Delivery,
  load: () => Promise<Delivery>,
  deps: WorkerDeps,
): Promise<boolean> {
  const startedAt = deps.now()
  const outcome = unlessPurged(await ending, startedAt, deps)
  if (outcome.type === 'released') return false
  try {
    if ('delivery' in outcome) await keep(outcome, deps)
  } catch {
    return await goOnInMemory(short, outcome, load, deps)
  }
  await conclude(short, outcome, deps)
  return true
}

/** A person may have purged it while it was being sent: then it is not kept for another attempt. */
function unlessPurged(outcome: Outcome, startedAt: number, { stateDir }: WorkerDeps): Outcome {
  const isKept = outcome.type === 'deferred' || outcome.type === 'held'
  if (!isKept || purgedAt(stateDir) < startedAt) return outcome
  return { type: 'expired', reason: PURGED }
}

/** The spool is full. Goes on with the single delivery instead of the summary that includes it. */
async function goOnInMemory(
  { events }: Delivery,
  outcome: Ended,
  load: () => Promise<Delivery>,
  deps: WorkerDeps,
): Promise<boolean> {
  if (!('delivery' in outcome)) return false
  if (outcome.type === 'held') {
    // Sent too early rather than never, as when it is first held.
    const early = { ...outcome.delivery, isUnconditional: true }
    return await deliverAndSettle(early, async () => early, deps)
  }
  const pauseMs = outcome.type === 'deferred' ? outcome.until - deps.now() : MAX_PAUSE_MS
  await sleep(Math.min(Math.max(pauseMs, 0), MAX_PAUSE_MS))
  const { delivery } = outcome
  const isItself = delivery.events.length === events.length
  const single = isItself ? delivery : await load().catch(() => undefined)
  if (!single) return false
  const { attempts, firstTriedAt, remaining } = delivery
  return await deliverAndSettle({ ...single, attempts, firstTriedAt, remaining }, load, deps)
}

/** Gives up a delivery that is not tried again. @throws the system error if it cannot be stored in dead/ */
export async function giveUp(delivery: Delivery, reason: string, deps: WorkerDeps): Promise<void> {
  const outcome = { type: 'exhausted', attempt: delivery.attempts, reason, delivery } as const
  await keep(outcome, deps)
  await conclude(delivery, outcome, deps)
}

/** Records the outcome, and does what depends on it. */
async function conclude(delivery: Delivery, outcome: Ended, deps: WorkerDeps) {
  const entries = entriesFor(delivery, outcome, deps)
  await Promise.all(entries.map((entry) => deps.journal.append(entry)))
  await deps.notices.ended(delivery, outcome)
  await deps.alarms.ended(delivery, outcome)
  // The session may have gone on while its message was on its way.
  if (outcome.type === 'delivered') await deps.open.review(delivery.message)
  if (isFailure(outcome.type)) await reviewSteps(delivery, deps)
}

/** Stores the delivery on the disk before it is recorded: otherwise a crash in between would lose it. */
function keep(outcome: Unsent, deps: WorkerDeps): Promise<void> {
  const { delivery } = outcome
  const keeping = kept.get(delivery) ?? write(outcome, deps)
  kept.set(delivery, keeping)
  return keeping
}

async function write(outcome: Unsent, { store, now }: WorkerDeps): Promise<void> {
  const { delivery, reason } = outcome
  if (outcome.type === 'deferred') {
    const { until, isAsked } = outcome
    await store.park({ ...delivery, notBefore: until }, { reason, isHeld: false, isAsked })
  }
  if (outcome.type === 'held') {
    const { group, dueOtherwise } = outcome
    const why = { reason, isHeld: true, group, dueOtherwise }
    await store.park(putOff(delivery, outcome, now()), why)
  }
  if (outcome.type === 'exhausted') await store.giveUp(delivery, reason)
}

/** One entry per event; but for a deferred summary, only one for its first event. */
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
    const { attempt, reason, until, delivery } = outcome
    const [id = ''] = delivery.events
    return events.includes(id)
      ? [{ at, id, type: 'deferred', channel, attempt, reason, until }]
      : []
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
