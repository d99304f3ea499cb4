import { join } from 'node:path'
import { parseEvent } from '../event/parse.ts'
import { RECORD_LIMIT_MS } from '../journal/journal.ts'
import { waitAtMost } from '../patience.ts'
import { freeBytesOf } from '../spool/caps.ts'
import { readCardQuietly } from '../spool/card.ts'
import { parseSpoolFile, readSpoolFile } from '../spool/event-file.ts'
import { type Spool, spoolIn } from '../spool/layout.ts'
import { parseName } from '../spool/names.ts'
import {
  type Arrival,
  Arrivals,
  type Excess,
  findExcess,
  limitsWith,
} from '../spool/waiting-limits.ts'
import type { WorkerDeps } from './deps.ts'

/** Events that are recorded together share one write to the disk. */
const BATCH = 500

/** What is to be removed, claimed so that no other worker delivers what is recorded as dropped. */
interface Removal {
  event: string
  /** The channel of a delivery. */
  channel?: string
  finish(): Promise<void>
  release(): Promise<unknown>
}

/**
 * Removes events that have waited for too long, and events and deliveries that are too many, such as on hold or in quiet
 * hours: the disk must not fill up. Each removal is recorded before.
 */
export async function limitWaiting(deps: WorkerDeps, limits = limitsOf(deps)): Promise<void> {
  const spool = spoolIn(deps.stateDir)
  const events = list(spool.new, { isCard: false })
  const isQuestion = (event: Arrival) => isQuestionEvent(event, spool, deps)
  await removeAll(findExcess(events, isQuestion, limits), (name) => claimEvent(name, deps), deps)
  const cards = list(spool.cards, { isCard: true })
  // Their age is limited elsewhere: deliveries that fail are given up, and routes limit how long others wait.
  const excess = findExcess(cards, (one) => isQuestionCard(one, spool), {
    ...limits,
    maxDays: Number.POSITIVE_INFINITY,
  })
  await removeAll(excess, (name) => claimCard(name, deps), deps)
}

function limitsOf({ stateDir }: WorkerDeps) {
  return limitsWith(freeBytesOf(spoolIn(stateDir)))
}

function list(folder: string, { isCard }: { isCard: boolean }) {
  const all = new Arrivals(folder).list()
  return all.filter(({ id }) => parseName(id)?.isCard === isCard)
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

function isQuestionCard({ id }: Arrival, spool: Spool): boolean {
  const card = readCardQuietly(join(spool.cards, id)) ?? new Map()
  return [...card.values()].some(
    (one) => one.state !== 'shown' && one.delivery.kind === 'permission',
  )
}

function claimEvent(name: string, { store }: WorkerDeps): Removal[] {
  const claim = store.claimEvent(name)
  if (!claim) return []
  return [
    {
      event: claim.id,
      finish: async () => store.finish(claim),
      release: async () => store.release(claim),
    },
  ]
}

function claimCard(name: string, { store }: WorkerDeps): Removal[] {
  return store.deliveries(parseName(name)?.id).flatMap((id) => {
    const claim = store.claimDelivery(id)
    if (!claim) return []
    const { event, channel } = claim
    const finish = () => store.finishDelivery(claim)
    return { event, channel, finish, release: () => store.releaseDelivery(claim) }
  })
}

async function removeAll(
  excess: Iterator<Excess>,
  take: (name: string) => readonly Removal[],
  deps: WorkerDeps,
) {
  for (let batch = next(excess); batch.length > 0; batch = next(excess)) {
    const removals = batch.flatMap(({ name, reason }) => {
      return orNone(() => take(name)).map((removal) => ({ ...removal, reason }))
    })
    await removeBatch(removals, deps)
  }
}

/** One that cannot be moved now must not stop the others, which are claimed already. */
function orNone(take: () => readonly Removal[]): readonly Removal[] {
  try {
    return take()
  } catch {
    return []
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
  { journal, now }: WorkerDeps,
) {
  const recorded = removals.map(({ event: id, channel, reason }) =>
    journal.append({ at: now(), id, type: 'dropped', ...(channel && { channel }), reason }),
  )
  await waitAtMost(RECORD_LIMIT_MS, Promise.all(recorded))
  for (const { finish, release } of removals) {
    // Such as a folder, which the dispatcher sets aside.
    await finish().catch(release)
  }
}
