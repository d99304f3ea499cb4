import type { Config } from '../config/schema.ts'
import { disturbsSomebody } from '../deliver/audience.ts'
import { settingsOf } from '../prepare/decide.ts'
import type { Claim } from '../spool/claim.ts'
import type { Parked } from '../spool/park.ts'
import type { WorkerDeps } from './deps.ts'
import { originOf, putOff, quietHold } from './rules-at-attempt.ts'

/** A parked delivery that this worker has claimed. */
export interface Due extends Omit<Parked, 'format'> {
  claim: Claim
}

/**
 * Judges held deliveries once more, since they may have been answered or muted meanwhile, and since they may be due only
 * now, in quiet hours, because the machine slept.
 * @returns those to send; and `settled`, which resolves when the others are recorded: a full disk must delay only them
 */
export async function judgeAgain(all: readonly Due[], deps: WorkerDeps) {
  const memory = await deps.memory.get()
  const current = deps.config.get().config
  const settings = settingsOf(current, deps)
  const kept: Due[] = []
  const others: Promise<void>[] = []
  for (const one of all) {
    const { events, channel, acceptedAt: at, kind, message } = one.delivery
    const [id = ''] = events
    const known = async (cwd: string) => one.project ?? (await deps.projectOf(cwd))
    const origin = await originOf(one.delivery, known)
    const isRecord = !disturbsSomebody(channel, current)
    const held = { ...origin, id, client: message.client, at, kind, channel, isRecord }
    const reason = memory.review(held, settings)
    const hold = reason === undefined ? await holdAgain(one, current, deps) : undefined
    if (reason !== undefined) others.push(drop(one, reason, deps))
    else if (hold) others.push(recordHold(one, hold, deps))
    else kept.push(one)
  }
  const settled = Promise.all(others).then(() => {})
  // Awaited later: a failure before that must not count as unhandled.
  settled.catch(() => {})
  return { kept, settled }
}

/** Whether a held delivery is only reviewed early. */
export function isBeforeItsTime({ isHeld, since, delivery }: Omit<Due, 'claim'>, now: number) {
  return isHeld && since <= now && now < delivery.notBefore
}

async function drop({ claim, delivery }: Due, reason: string, { store, journal, now }: WorkerDeps) {
  const { events, channel } = delivery
  const at = now()
  await Promise.all(
    events.map((id) => journal.append({ at, id, type: 'suppressed', channel, reason })),
  )
  store.finish(claim)
}

/** Parks a delivery that is due in quiet hours until their end. @returns undefined if it is to be sent */
async function holdAgain(one: Due, config: Config, { store, now }: WorkerDeps) {
  const { delivery, earliest, project } = one
  const at = now()
  const hold = isBeforeItsTime(one, at) ? undefined : quietHold(delivery, { config }, at)
  if (!hold) return undefined
  try {
    const { reason, group } = hold
    await store.park(putOff(delivery, hold, at), { reason, isHeld: true, group, earliest, project })
    return hold
  } catch {
    // The disk is full: as when it is held at first, it is told too early rather than never.
    return undefined
  }
}

async function recordHold(
  { claim, delivery: { events, channel } }: Due,
  hold: NonNullable<ReturnType<typeof quietHold>>,
  { store, journal, now }: WorkerDeps,
) {
  const entry = { at: now(), type: 'held', channel, ...hold } as const
  await Promise.all(events.map((id) => journal.append({ ...entry, id })))
  store.finish(claim)
}
