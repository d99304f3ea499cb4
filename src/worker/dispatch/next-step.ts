import { disturbsSomebody } from '../../deliver/audience.ts'
import { deliveryId } from '../../delivery.ts'
import { isUrgent } from '../../event/kind.ts'
import { channelsOf, type EventStatus, hasFailed } from '../../journal/history.ts'
import type { Open } from '../../spool/card.ts'
import type { WorkerDeps } from '../deps.ts'
import { readStatuses } from '../read-statuses.ts'

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
