import { join } from 'node:path'
import { parseEvent } from '../event/parse.ts'
import { RECORD_LIMIT_MS } from '../journal/journal.ts'
import { waitAtMost } from '../patience.ts'
import { type Arrival, Arrivals } from '../spool/arrivals.ts'
import { freeBytesOf } from '../spool/caps.ts'
import type { Claim } from '../spool/claim.ts'
import { parseSpoolFile } from '../spool/header.ts'
import { type Spool, spoolIn } from '../spool/layout.ts'
import { parseName } from '../spool/names.ts'
import { readParked } from '../spool/park.ts'
import { readSpoolFile } from '../spool/read.ts'
import { type Excess, findExcess, limitsWith } from '../spool/waiting-limits.ts'
import type { WorkerDeps } from './deps.ts'

/** Events that are recorded together share one write to the disk. */
const BATCH = 500

/** What is to be removed, claimed so that no other worker delivers what is recorded as dropped. */
interface Removal {
  claim: Claim
  /** The events concerned. */
  ids: readonly string[]
  /** The channel of a delivery. */
  channel?: string
}

/**
 * Removes events that have waited for too long, and events and deliveries that are too many, such as on hold or in quiet
 * hours: the disk must not fill up. Each removal is recorded before.
 */
export async function limitWaiting(deps: WorkerDeps, limits = limitsOf(deps)): Promise<void> {
  const spool = spoolIn(deps.stateDir)
  const events = list(spool.new, { isDelivery: false })
  const isQuestion = (event: Arrival) => isQuestionEvent(event, spool, deps)
  await removeAll(findExcess(events, isQuestion, limits), (name) => claimEvent(name, deps), deps)
  const parked = list(spool.deferred, { isDelivery: true })
  // Their age is limited elsewhere: deliveries that fail are given up, and routes limit how long others wait.
  const excess = findExcess(parked, (one) => isParkedQuestion(one, spool), {
    ...limits,
    maxDays: Number.POSITIVE_INFINITY,
  })
  await removeAll(excess, (name) => claimParked(name, deps), deps)
}

function limitsOf({ stateDir }: WorkerDeps) {
  return limitsWith(freeBytesOf(spoolIn(stateDir)))
}

function list(folder: string, { isDelivery }: { isDelivery: boolean }) {
  const all = new Arrivals(folder).list()
  return all.filter(({ id }) => parseName(id)?.isDelivery === isDelivery)
}

function isQuestionEvent({ id, acceptedAt: at }: Arrival, spool: Spool, { config }: WorkerDeps) {
  try {
    const file = readSpoolFile(join(spool.new, id))
    const stored = 'bytes' in file ? parseSpoolFile(file.bytes) : undefined
    const { abnormalReasons } = config.last.config
    return stored ? parseEvent({ ...stored, id, at }, abnormalReasons).kind === 'permission' : false
  } catch {
    return false
  }
}

function isParkedQuestion({ id }: Arrival, spool: Spool): boolean {
  return readParked(join(spool.deferred, id))?.delivery.kind === 'permission'
}

function claimEvent(name: string, { store }: WorkerDeps): Removal | undefined {
  const claim = store.claimEvent(name)
  return claim && { claim, ids: [claim.id] }
}

function claimParked(name: string, { store }: WorkerDeps): Removal | undefined {
  const claim = store.claimParked(name)
  if (!claim) return undefined
  try {
    const delivery = store.readParked(claim)?.delivery
    return delivery && { claim, ids: delivery.events, channel: delivery.channel }
  } catch (error) {
    // It cannot be read now. Without this it would stay claimed until this worker ends.
    store.release(claim)
    throw error
  }
}

async function removeAll(
  excess: Iterator<Excess>,
  take: (name: string) => Removal | undefined,
  deps: WorkerDeps,
) {
  for (let batch = next(excess); batch.length > 0; batch = next(excess)) {
    const removals = batch.flatMap(({ name, reason }) => {
      const removal = orNone(() => take(name))
      return removal ? { ...removal, reason } : []
    })
    await removeBatch(removals, deps)
  }
}

/** One that cannot be moved now must not stop the others, which are claimed already. */
function orNone<Value>(take: () => Value | undefined): Value | undefined {
  try {
    return take()
  } catch {
    return undefined
  }
}

function next(excess: Iterator<Excess>): Excess[] {
  const batch: Excess[] = []
  while (batch.length < BATCH) {
    const { value, done } = excess.next()
    if (done) break
    batch.push(value)
  }
  return batch
}

async function removeBatch(
  removals: readonly (Removal & { reason: string })[],
  { journal, now, store }: WorkerDeps,
) {
  const recorded = removals.flatMap(({ ids, channel, reason }) =>
    ids.map((id) =>
      journal.append({ at: now(), id, type: 'dropped', ...(channel && { channel }), reason }),
    ),
  )
  await waitAtMost(RECORD_LIMIT_MS, Promise.all(recorded))
  for (const { claim } of removals) {
    try {
      store.finish(claim)
    } catch {
      // Such as a folder, which the dispatcher sets aside.
      store.release(claim)
    }
  }
}
