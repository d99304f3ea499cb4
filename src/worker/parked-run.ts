import { summarize } from '../deliver/summary.ts'
import type { Delivery } from '../delivery.ts'
import type { Claim } from '../spool/claim.ts'
import type { Parked } from '../spool/park.ts'
import type { Store } from '../spool/store.ts'
import type { WorkerDeps } from './deps.ts'
import { type Due, isBeforeItsTime, judgeAgain } from './judge-again.ts'
import { isBroughtForward } from './next-step.ts'
import { deliverAndSettle, giveUp } from './settle.ts'

/** An event or delivery is set aside after this many workers crashed while they had it. */
export const MAX_CRASHES = 3

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
  const { kept: due, settled } = parked.isHeld
    ? await judgeAgain(all, deps)
    : { kept: all, settled: Promise.resolve() }
  if (isBeforeItsTime(parked, now()) && !(await isBroughtForward(parked, deps))) {
    // It was only reviewed early, because something happened in its session.
    for (const one of due) store.release(one.claim)
    return await settled
  }
  const [first, ...rest] = due.map(({ delivery }) => delivery)
  if (!first) return await settled
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
  await settled
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
