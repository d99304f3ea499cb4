import { basename } from 'node:path'
import { summarize } from '../../deliver/summary.ts'
import type { Delivery } from '../../delivery.ts'
import { HookbellError } from '../../errors.ts'
import { isOpen } from '../../journal/history.ts'
import { sessionOf as sessionOfEvent } from '../../prepare/prepare.ts'
import type { Claim } from '../../spool/claim.ts'
import { wasClaimed } from '../../spool/names.ts'
import type { Parked } from '../../spool/park.ts'
import type { Store } from '../../spool/store.ts'
import type { WorkerDeps } from '../deps.ts'
import { readStatuses } from '../read-statuses.ts'
import { type Due, isBeforeItsTime, judgeAgain } from './judge-again.ts'
import { isBroughtForward } from './next-step.ts'
import { deliverAndSettle, giveUp } from './settle.ts'

/** An event or delivery is set aside after this many workers crashed while they had it. */
export const MAX_CRASHES = 3

/** The work on a parked delivery that is queued, with those of its group. */
interface Queued {
  /** False if it was released unattempted. */
  running: Promise<boolean>
  claims: readonly Claim[]
  /** Resolves when those that are not sent are recorded. */
  settled: Promise<void>
}

/** Sends a parked delivery together with the others of its group, until they are settled or parked again. */
export async function runParked(
  claim: Claim,
  deps: WorkerDeps,
  onQueued: () => void,
): Promise<void> {
  const { store } = deps
  // Only promises stay in memory, not the delivery: many may wait for a destination that was down.
  const queued = await queueParked(claim, deps)
  onQueued()
  if (!queued) return
  const isSettled = await queued.running
  for (const one of queued.claims) {
    if (isSettled) store.finish(one)
    else store.release(one)
  }
  await queued.settled
}

/** @returns undefined if nothing is left to do */
async function queueParked(claim: Claim, deps: WorkerDeps): Promise<Queued | undefined> {
  const { store, now } = deps
  const parked = store.readParked(claim)
  if (!parked) return undefined
  const own = { ...parked, claim, delivery: countedUntilDue(parked, now()) }
  if (await isSettled(own, deps)) {
    store.finish(claim)
    return undefined
  }
  if (claim.crashes >= MAX_CRASHES) {
    const reason = `the worker ended ${claim.crashes} times while it had this delivery`
    await giveUp(parked.delivery, reason, deps)
    store.finish(claim)
    return undefined
  }
  const all = [own, ...(await finishSettled(claimGroup(parked, deps), deps))]
  // An event of the session that is being prepared may answer it.
  const busy = all.flatMap(({ delivery }) => deps.sessions.whenFree(sessionOf(delivery)) ?? [])
  if (busy.length > 0) await Promise.all(busy)
  const { kept, settled } = parked.isHeld
    ? await judgeAgain(all, deps)
    : { kept: all, settled: Promise.resolve() }
  const due = await releaseEarly(kept, deps)
  const [first, ...rest] = due
  if (!first) {
    await settled
    return undefined
  }
  const others = rest.map((one) => one.delivery)
  const delivery = rest.length > 0 ? summarize([first.delivery, ...others]) : first.delivery
  const load = rest.length > 0 ? keeping(delivery) : reading(first.claim, deps)
  const claims = due.map((one) => one.claim)
  return { running: deliverAndSettle(delivery, load, deps), claims, settled }
}

function sessionOf({ events: [id = ''], message: { client, sessionId } }: Delivery): string {
  return sessionOfEvent({ id, client, sessionId })
}

/** Releases those that were only reviewed early, because something happened in their session. @returns the others */
async function releaseEarly(all: readonly Due[], deps: WorkerDeps): Promise<Due[]> {
  const due: Due[] = []
  for (const one of all) {
    const isEarly = isBeforeItsTime(one, deps.now()) && !(await isBroughtForward(one, deps))
    if (isEarly) deps.store.release(one.claim)
    else due.push(one)
  }
  return due
}

/** Finishes those whose outcome another worker recorded before it ended. @returns the others */
async function finishSettled(all: readonly Due[], deps: WorkerDeps): Promise<Due[]> {
  const open: Due[] = []
  for (const one of all) {
    if (await isSettled(one, deps)) deps.store.finish(one.claim)
    else open.push(one)
  }
  return open
}

async function isSettled({ claim: { from }, delivery }: Due, { stateDir }: WorkerDeps) {
  if (!wasClaimed(basename(from))) return false
  const { events, channel } = delivery
  const statuses = await readStatuses(stateDir, events)
  return events.every((id) => {
    const status = statuses.get(id)
    return status !== undefined && !isOpen(status, channel)
  })
}

function keeping(delivery: Delivery) {
  return async () => delivery
}

function reading(claim: Claim, { store, now }: WorkerDeps) {
  return async () => {
    const parked = store.readParked(claim)
    if (!parked) throw new HookbellError('E_SPOOL', `${claim.id}: gone from the spool`)
    return countedUntilDue(parked, now())
  }
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
