import { summarize } from '../../deliver/summary.ts'
import type { Delivery } from '../../delivery.ts'
import { HookbellError } from '../../errors.ts'
import { OWN_CLIENT } from '../../journal/entry.ts'
import { isOpen } from '../../journal/history.ts'
import { sessionOf as sessionOfEvent } from '../../prepare/prepare.ts'
import type { Open } from '../../spool/card.ts'
import type { DeliveryClaim } from '../../spool/cards.ts'
import type { Store } from '../../spool/store.ts'
import type { WorkerDeps } from '../deps.ts'
import { readStatuses } from '../read-statuses.ts'
import { type Due, isBeforeItsTime, judgeAgain } from './judge-again.ts'
import { deliverAndSettle, giveUp, isBroughtForward } from './settle.ts'

/** An event or delivery is set aside after this many workers crashed while they had it. */
export const MAX_CRASHES = 3

/** The work on an open delivery that is queued, with those of its group. */
interface Queued {
  /** False if it was released unattempted. */
  running: Promise<boolean>
  claims: readonly DeliveryClaim[]
  /** Resolves when those that are not sent are recorded. */
  settled: Promise<void>
}

/** Sends an open delivery together with the others of its group, until they are settled or kept anew. */
export async function runDelivery(
  claim: DeliveryClaim,
  deps: WorkerDeps,
  onQueued: () => void,
): Promise<void> {
  const { store } = deps
  // Only promises stay in memory, not the delivery: many may wait for a destination that was down.
  const queued = await queueDelivery(claim, deps)
  onQueued()
  if (!queued) return
  const isSettled = await queued.running
  for (const one of queued.claims) {
    if (isSettled) await store.finishDelivery(one)
    else await store.releaseDelivery(one)
  }
  await queued.settled
}

/** @returns undefined if nothing is left to do */
async function queueDelivery(claim: DeliveryClaim, deps: WorkerDeps): Promise<Queued | undefined> {
  const { store, now } = deps
  const open = store.readDelivery(claim)
  if (!open) return undefined
  const own = { ...open, claim, delivery: countedUntilDue(open, now()) }
  if (await isSettled(own, deps)) {
    await store.finishDelivery(claim)
    return undefined
  }
  if (claim.crashes >= MAX_CRASHES) {
    const reason = `the worker ended ${claim.crashes} times while it had this delivery`
    await giveUp(open.delivery, reason, deps)
    await store.finishDelivery(claim)
    return undefined
  }
  if (open.delivery.message.client === OWN_CLIENT) await deps.notices.record(open.delivery)
  // Without a promise where there is no group: a later event of the session must not be queued first.
  const others = open.group === undefined ? [] : await claimGroup(open.group, deps)
  const all = [own, ...(await finishSettled(others, deps))]
  // An event of the session that is being prepared may answer it.
  const busy = all.flatMap(({ delivery }) => deps.sessions.whenFree(sessionOf(delivery)) ?? [])
  if (busy.length > 0) await Promise.all(busy)
  const { kept, settled } =
    open.state === 'held' ? await judgeAgain(all, deps) : { kept: all, settled: Promise.resolve() }
  const due = await releaseEarly(kept, deps)
  const [first, ...rest] = due
  if (!first) {
    await settled
    return undefined
  }
  const claims = due.map((one) => one.claim)
  const since = Math.max(...due.map((one) => one.since))
  const delivery = summaryOf([first, ...rest])
  const load = rest.length > 0 ? keeping(delivery) : reading(first.claim, deps)
  return {
    running: deliverAndSettle(delivery, load, deps, { since, parts: readingAll(claims, deps) }),
    claims,
    settled,
  }
}

function summaryOf([first, ...rest]: readonly [Due, ...Due[]]): Delivery {
  const others = rest.map(({ delivery }) => delivery)
  return others.length > 0 ? summarize([first.delivery, ...others]) : first.delivery
}

function sessionOf({ events: [id = ''], message: { client, sessionId } }: Delivery): string {
  return sessionOfEvent({ id, client, sessionId })
}

/** Releases those that were only reviewed early, because something happened in their session. @returns the others */
async function releaseEarly(all: readonly Due[], deps: WorkerDeps): Promise<Due[]> {
  const due: Due[] = []
  for (const one of all) {
    const isEarly = isBeforeItsTime(one, deps.now()) && !(await isBroughtForward(one, deps))
    if (isEarly) await deps.store.releaseDelivery(one.claim)
    else due.push(one)
  }
  return due
}

/** Finishes those whose outcome another worker recorded before it ended. @returns the others */
async function finishSettled(all: readonly Due[], deps: WorkerDeps): Promise<Due[]> {
  const open: Due[] = []
  for (const one of all) {
    if (await isSettled(one, deps)) await deps.store.finishDelivery(one.claim)
    else open.push(one)
  }
  return open
}

async function isSettled({ claim, delivery }: Due, { stateDir }: WorkerDeps) {
  if (!claim.wasClaimed) return false
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

/** A function that holds no text, unlike one that is made where the delivery is known. */
function reading(claim: DeliveryClaim, deps: WorkerDeps) {
  return async () => readAgain(claim, deps).delivery
}

function readingAll(claims: readonly DeliveryClaim[], deps: WorkerDeps) {
  return () => claims.map((claim) => readAgain(claim, deps))
}

function readAgain(claim: DeliveryClaim, { store, now }: WorkerDeps): Open {
  const open = store.readDelivery(claim)
  if (!open) throw new HookbellError('E_SPOOL', `${claim.id}: gone from the spool`)
  return { ...open, delivery: countedUntilDue(open, now()) }
}

/** Time after the due time, in which the machine was off, does not count towards the age at which to give up. */
function countedUntilDue({ delivery }: Pick<Open, 'delivery'>, now: number): Delivery {
  const { firstTriedAt, notBefore } = delivery
  const idleMs = firstTriedAt > 0 ? Math.max(0, now - notBefore) : 0
  return { ...delivery, firstTriedAt: Math.min(firstTriedAt + idleMs, now) }
}

/** Claims the due deliveries held for the same message. After a crash each one is reclaimed separately. */
async function claimGroup(group: string, { store }: WorkerDeps): Promise<Due[]> {
  const all: Due[] = []
  for (const id of store.dueInGroup(group)) {
    const claim = store.claimDelivery(id)
    const open = claim && (await readOrRelease(claim, store))
    if (open) all.push({ ...open, claim })
  }
  return all
}

/**
 * One that is to be given up or cannot be read now is handled by itself later: the rest of its group does not wait for
 * it.
 */
async function readOrRelease(claim: DeliveryClaim, store: Store): Promise<Open | undefined> {
  try {
    if (claim.crashes < MAX_CRASHES) return store.readDelivery(claim)
  } catch {
    // Released below.
  }
  await store.releaseDelivery(claim)
  return undefined
}
