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
    const done = reason === undefined ? holdAgain(one, current, deps) : drop(one, reason, deps)
    if (done) others.push(done)
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
function holdAgain(
  one: Due,
  config: Config,
  { store, journal, now }: WorkerDeps,
): Promise<void> | undefined {
  const { claim, delivery, earliest, project } = one
  const at = now()
  if (isBeforeItsTime(one, at)) return undefined
  const hold = quietHold(delivery, { config }, at)
  if (!hold) return undefined
  try {
    const { reason, group } = hold
    store.park(putOff(delivery, hold, at), { reason, isHeld: true, group, earliest, project })
  } catch {
    // The disk is full: as when it is held at first, it is told too early rather than never.
    return undefined
  }
  const { events, channel } = delivery
  const entry = { at, type: 'held', channel, ...hold } as const
  return Promise.all(events.map((id) => journal.append({ ...entry, id }))).then(() =>
    store.finish(claim),
  )
}
