import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '../deliver/outcome.ts'
import type { Delivery } from '../delivery.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { WorkerDeps } from './deps.ts'
import { reviewSteps } from './next-step.ts'

/** A spool that takes nothing now is asked again after this long, at most. */
const MAX_PAUSE_MS = 60_000

/** Deliveries that are on the disk already: a summary ends once, for all the events that it tells of. */
const kept = new WeakSet<Delivery>()

/**
 * Takes a delivery to its end, or to the disk until its next attempt, and records what happened.
 * @returns false where it was not begun, because the worker ends
 */
export async function deliverAndSettle(
  delivery: Delivery,
  load: () => Promise<Delivery>,
  deps: WorkerDeps,
): Promise<boolean> {
  for (let current = delivery; ; ) {
    const outcome = await deps.deliverer.deliver(current, load)
    if (outcome.type === 'released') return false
    try {
      keep(outcome, deps)
    } catch {
      // The spool is full: it goes on in memory, as the delivery that it was before it became part of a summary.
      const pauseMs = outcome.type === 'deferred' ? outcome.until - deps.now() : MAX_PAUSE_MS
      await sleep(Math.min(Math.max(pauseMs, 0), MAX_PAUSE_MS))
      const { attempts, firstTriedAt } = 'delivery' in outcome ? outcome.delivery : current
      current = { ...current, attempts, firstTriedAt }
      continue
    }
    await Promise.all(entriesFor(current, outcome, deps).map((entry) => deps.journal.append(entry)))
    await deps.alarms.ended(current, outcome)
    const isUseless = outcome.type === 'unavailable' || outcome.type === 'exhausted'
    if (isUseless) await reviewSteps(current, deps)
    return true
  }
}

/** On the disk before it is recorded: the other way round a crash in between would lose it. */
function keep(outcome: Outcome, { store }: WorkerDeps) {
  if (!('delivery' in outcome) || kept.has(outcome.delivery)) return
  const { delivery, reason } = outcome
  if (outcome.type === 'deferred') {
    store.park(delivery, { until: outcome.until, reason, isHeld: false })
  }
  if (outcome.type === 'exhausted') store.giveUp(delivery, reason)
  kept.add(delivery)
}

/** One entry per event, but for a summary that failed: of that the first event's line tells. */
function entriesFor(
  { events, channel }: Delivery,
  outcome: Exclude<Outcome, { type: 'released' }>,
  { now }: WorkerDeps,
): JournalEntry[] {
  const at = now()
  if (outcome.type === 'expired') {
    const { reason } = outcome
    return events.map((id) => ({ at, id, type: 'suppressed', channel, reason }))
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
