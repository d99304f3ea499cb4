import { join } from 'node:path'
import { parseEvent } from '../event/parse.ts'
import { RECORD_LIMIT_MS, rotateJournal } from '../journal/journal.ts'
import { waitAtMost } from '../patience.ts'
import { enforceCaps, freeBytesOf, type Removal, sweep } from '../spool/caps.ts'
import { readCardQuietly } from '../spool/card.ts'
import { parseSpoolFile, readSpoolFile } from '../spool/event-file.ts'
import { parseName, prepareSpool, type Spool, spoolIn } from '../spool/layout.ts'
import { isSoleWorker, touchLock } from '../spool/lock/lock.ts'
import { HEARTBEAT_MS } from '../spool/lock/owner.ts'
import { requestHandoverIfReplaced } from '../spool/requests.ts'
import { nextSalvageInMs, salvage } from '../spool/salvage.ts'
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
interface Claimed {
  event: string
  /** The channel of a delivery. */
  channel?: string
  finish(): Promise<void>
  release(): Promise<unknown>
}

const SWEEP_EVERY_MS = 3600_000

/** The worker's tasks besides delivering. If one fails, the others still run, and it is tried again later. */
export class Maintenance {
  readonly #deps: WorkerDeps
  #beatAt = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /** Updates this worker's heartbeat, takes over what dead workers had and looks for a newer version. */
  beat() {
    const { config, deliverer, store, stateDir, steadyNow } = this.#deps
    if (steadyNow() - this.#beatAt < HEARTBEAT_MS) return
    this.#beatAt = steadyNow()
    // Somebody may have removed a folder or its permissions meanwhile.
    attempt(() => prepareSpool(stateDir))
    attempt(() => store.heartbeat())
    attempt(() => touchLock(stateDir))
    this.salvage()
    attempt(() => store.reclaimAbandoned())
    attempt(() => requestHandoverIfReplaced(stateDir))
    attempt(() => deliverer.block(store.asked(config.changedAt())))
  }

  /**
   * Accepts the events of killed hooks. @returns milliseconds until there may be more of them, 0 if there was one; undefined
   * if none is left
   */
  salvage(): number | undefined {
    const { stateDir, now } = this.#deps
    const spool = spoolIn(stateDir)
    return attempt(() => (salvage(spool, now()) > 0 ? 0 : nextSalvageInMs(spool, now())))
  }

  /** Rotates the journal. Only for the holder of the lock. */
  async rotate() {
    const { memory, store, stateDir } = this.#deps
    // Two workers would move the same files.
    if (!isSoleWorker(stateDir)) return
    try {
      if (await rotateJournal(stateDir, () => store.openEvents()))
        memory.rotated(store.openEvents())
    } catch {
      // Such as a full disk: the journal grows until there is room.
    }
  }

  /** Removes old files and enforces the size limits. Slow if there are many files, so only if nothing can be sent now. */
  async sweep() {
    const { stateDir, now, steadyNow } = this.#deps
    if (steadyNow() - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = steadyNow()
    const spool = spoolIn(stateDir)
    attempt(() => sweep(spool, now()))
    await enforceCaps(spool, (removal) => this.#recordRemoval(removal)).catch(() => {})
    await limitWaiting(this.#deps).catch(() => {})
  }

  /** Records a removal before it happens. Does not wait for long, since a full disk may be the cause. */
  async #recordRemoval({ events, channel, reason }: Removal) {
    const { journal, now } = this.#deps
    const at = now()
    const recorded = events.map((id) =>
      journal.append({ at, id, type: 'dropped', ...(channel && { channel }), reason }),
    )
    await waitAtMost(RECORD_LIMIT_MS, Promise.all(recorded))
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    // It is tried again later.
    return undefined
  }
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

function claimEvent(name: string, { store }: WorkerDeps): Claimed[] {
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

function claimCard(name: string, { store }: WorkerDeps): Claimed[] {
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
  take: (name: string) => readonly Claimed[],
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
function orNone(take: () => readonly Claimed[]): readonly Claimed[] {
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
  removals: readonly (Claimed & { reason: string })[],
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
