import { disturbsSomebody } from '../deliver/audience.ts'
import { summarize } from '../deliver/summary.ts'
import type { Delivery } from '../delivery.ts'
import { settingsOf } from '../prepare/decide.ts'
import type { Claim } from '../spool/claim.ts'
import type { Parked } from '../spool/park.ts'
import type { Store } from '../spool/store.ts'
import type { WorkerDeps } from './deps.ts'
import { isBroughtForward } from './next-step.ts'
import { deliverAndSettle, giveUp } from './settle.ts'

/** An event or delivery is set aside after this many workers crashed while they had it. */
export const MAX_CRASHES = 3

interface Due extends Pick<Parked, 'delivery' | 'project'> {
  claim: Claim
}

/** Runs a parked delivery to its end or its next attempt, with those of its group. */
export async function runParked(
  claim: Claim,
  deps: WorkerDeps,
  onQueued: () => void,
): Promise<void> {
  const { store, now } = deps
  const parked = store.readParked(claim)
  if (!parked) return
  if (claim.crashes >= MAX_CRASHES) {
    const reason = `the worker ended ${claim.crashes} times while it had this delivery`
    await giveUp(parked.delivery, reason, deps)
    return store.finish(claim)
  }
  const own = { ...parked, claim, delivery: countedUntilDue(parked, now()) }
  const all = [own, ...claimGroup(parked, deps)]
  const { kept: due, dropped } = parked.isHeld
    ? await judgeAgain(all, deps)
    : { kept: all, dropped: Promise.resolve() }
  if (isBeforeItsTime(parked, now()) && !(await isBroughtForward(parked, deps))) {
    // It was only reviewed early, because something happened in its session.
    for (const one of due) store.release(one.claim)
    return await dropped
  }
  const [first, ...rest] = due.map(({ delivery }) => delivery)
  if (!first) return await dropped
  const delivery = rest.length > 0 ? summarize([first, ...rest]) : first
  const load = async () => {
    const again = rest.length > 0 ? undefined : store.readParked(claim)
    return again ? countedUntilDue(again, now()) : delivery
  }
  const running = deliverAndSettle(delivery, load, deps)
  onQueued()
  const isSettled = await running
  for (const one of due) {
    if (isSettled) store.finish(one.claim)
    else store.release(one.claim)
  }
  await dropped
}

function isBeforeItsTime({ isHeld, since, delivery }: Parked, now: number): boolean {
  return isHeld && since <= now && now < delivery.notBefore
}

/** Time after the due time, in which the machine was off, does not count towards the age at which to give up. */
function countedUntilDue({ delivery }: Pick<Parked, 'delivery'>, now: number): Delivery {
  const { firstTriedAt, notBefore } = delivery
  const idleMs = firstTriedAt > 0 ? Math.max(0, now - notBefore) : 0
  return { ...delivery, firstTriedAt: Math.min(firstTriedAt + idleMs, now) }
}

/** Claims the due deliveries held for the same message. After a crash each one is reclaimed separately. */
function claimGroup({ group }: Parked, { store }: WorkerDeps): Due[] {
  if (group === undefined) return []
  return store.dueInGroup(group).flatMap((name) => {
    const claim = store.claimParked(name)
    const parked = claim && readOrRelease(claim, store)
    return parked ? [{ ...parked, claim }] : []
  })
}

/**
 * One that is to be given up or cannot be read now is handled by itself later: the rest of its group does not wait for
 * it.
 */
function readOrRelease(claim: Claim, store: Store): Parked | undefined {
  try {
    if (claim.crashes < MAX_CRASHES) return store.readParked(claim)
  } catch {
    // Released below.
  }
  store.release(claim)
  return undefined
}

/**
 * Judges held deliveries once more, since they may have been answered or muted meanwhile.
 * @returns those to send; and `dropped`, which resolves when the others are recorded: a full disk must delay only them
 */
async function judgeAgain(all: readonly Due[], deps: WorkerDeps) {
  const memory = await deps.memory.get()
  const current = deps.config.get().config
  const settings = settingsOf(current, deps)
  const judged = all.map((one) => {
    const { events, channel, acceptedAt: at, kind, message } = one.delivery
    const { client, sessionId, cwd } = message
    const [id = ''] = events
    const { project = '' } = one
    const isRecord = !disturbsSomebody(channel, current)
    const held = { id, client, sessionId, at, kind, channel, cwd, project, isRecord }
    return { one, reason: memory.review(held, settings) }
  })
  const dropped = Promise.all(
    judged.map(({ one, reason }) => (reason === undefined ? undefined : drop(one, reason, deps))),
  ).then(() => {})
  // Awaited later: a failure before that must not count as unhandled.
  dropped.catch(() => {})
  const kept = judged.flatMap(({ one, reason }) => (reason === undefined ? [one] : []))
  return { kept, dropped }
}

async function drop({ claim, delivery }: Due, reason: string, { store, journal, now }: WorkerDeps) {
  const { events, channel } = delivery
  const at = now()
  await Promise.all(
    events.map((id) => journal.append({ at, id, type: 'suppressed', channel, reason })),
  )
  store.finish(claim)
}
