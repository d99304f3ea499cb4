import { disturbsSomebody } from '../deliver/audience.ts'
import { deliveryId } from '../delivery.ts'
import { isUrgent } from '../event/kind.ts'
import { channelsOf, type EventStatus, hasFailed } from '../journal/history.ts'
import type { Parked } from '../spool/park.ts'
import { readBegun } from './begun.ts'
import type { WorkerDeps } from './deps.ts'

/**
 * Call this with a delivery that failed for good: the next step of its route may be due at once. The end of a turn can
 * wait.
 */
export async function reviewSteps(
  { kind, events }: { kind: string; events: readonly string[] },
  deps: WorkerDeps,
): Promise<void> {
  const { config, stateDir, store } = deps
  const hasSteps = config.recent().config.routes.some(({ steps }) => steps !== undefined)
  if (!hasSteps || !isUrgent(kind)) return
  for (const status of (await readBegun(stateDir, events)).values()) {
    if (!hasReachedNobody(status, deps)) continue
    store.review(heldChannels(status).map((channel) => deliveryId(status.id, channel)))
  }
}

/**
 * Whether a later step is sent before its time, because all channels before it have failed for good: nobody has seen
 * the event, so nobody can answer before the step. Records it if so.
 */
export async function isBroughtForward(
  { delivery, earliest }: Parked,
  deps: WorkerDeps,
): Promise<boolean> {
  const { events, kind, channel } = delivery
  const { stateDir, journal, now } = deps
  const at = now()
  if (earliest === undefined || earliest > at || !isUrgent(kind)) return false
  const [id = ''] = events
  const status = (await readBegun(stateDir, [id])).get(id)
  if (!status || !hasReachedNobody(status, deps) || !isNext(status, channel)) return false
  const reason = 'the steps before it reached nobody'
  await journal.append({ at, id, type: 'held', channel, until: at, reason })
  return true
}

function hasReachedNobody(status: EventStatus, { config }: WorkerDeps): boolean {
  const held = heldChannels(status)
  const tried = channelsOf(status).filter(
    (name) => !held.includes(name) && disturbsSomebody(name, config.recent().config),
  )
  return tried.length > 0 && tried.every((name) => hasFailed(status, name))
}

function heldChannels({ channels }: EventStatus): string[] {
  return Object.keys(channels).filter((name) => channels[name]?.state === 'held')
}

/** The channels of one step are due at the same time. */
function isNext(status: EventStatus, channel: string): boolean {
  const { channels } = status
  const dueAt = (name: string) => channels[name]?.at ?? 0
  return heldChannels(status).every((name) => dueAt(channel) <= dueAt(name))
}
