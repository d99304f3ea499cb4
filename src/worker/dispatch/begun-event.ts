import { kindOrName } from '../../event/kind.ts'
import { channelsOf, type EventStatus, isOpen } from '../../journal/history.ts'
import type { Prepared } from '../../prepare/prepare.ts'
import type { Claim } from '../../spool/claim.ts'
import type { WorkerDeps } from '../deps.ts'
import { reviewSteps } from './next-step.ts'

/** The journal's status of an event that an earlier worker began; undefined if none recorded anything. */
export function takeBegun({ id }: Claim, { begun }: WorkerDeps): EventStatus | undefined {
  const status = begun.get(id)
  // Read anew if the event is claimed again: by then the journal has more entries.
  begun.delete(id)
  return status
}

/**
 * Leaves out the channels that have settled the event. An earlier worker may have recorded that a channel got it, but
 * not yet which channels were chosen.
 */
export function withoutSettled(prepared: Prepared, known: EventStatus): Prepared {
  const isLeft = ({ channel }: { channel: string }) => isOpen(known, channel)
  return {
    ...prepared,
    deliveries: prepared.deliveries.filter(isLeft),
    held: prepared.held.filter(({ delivery }) => isLeft(delivery)),
    suppressed: prepared.suppressed.filter(isLeft),
  }
}

/** Channels that an earlier worker chose and did not settle; undefined if no worker began the event. */
export function openChannels(
  before: EventStatus | undefined,
  { store }: WorkerDeps,
): string[] | undefined {
  if (!before) return undefined
  return channelsOf(before).filter(
    (channel) => isOpen(before, channel) && !store.isKept(before.id, channel),
  )
}

/** Finishes an event without open channels. A crash may have come before the reason for that was recorded. */
export async function finishBegun(claim: Claim, before: EventStatus | undefined, deps: WorkerDeps) {
  if (before?.outcome === 'waiting' && before.to.length === 0) {
    const reasons = before.trace.filter(({ verdict }) => verdict === 'suppress')
    const reason =
      reasons.map(({ because }) => because).join('; ') ||
      `no route for ${kindOrName(before.kind, before.event)}`
    await deps.journal.append({ at: deps.now(), id: claim.id, type: 'suppressed', reason })
  }
  // The crash may also have come before the alarm was raised.
  if (before) await deps.alarms.check(before)
  if (before) await reviewSteps({ kind: before.kind, events: [claim.id] }, deps)
  deps.store.finish(claim)
}
