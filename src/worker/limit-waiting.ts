import { join } from 'node:path'
import { parseEvent } from '../event/parse.ts'
import { type Arrival, Arrivals } from '../spool/arrivals.ts'
import { freeBytesOf } from '../spool/caps.ts'
import { parseSpoolFile } from '../spool/header.ts'
import { type Spool, spoolIn } from '../spool/layout.ts'
import { parseName } from '../spool/names.ts'
import { readSpoolFile } from '../spool/read.ts'
import { findExcess, limitsWith } from '../spool/waiting-limits.ts'
import type { WorkerDeps } from './deps.ts'
import { RECORD_LIMIT_MS, waitAtMost } from './wait-at-most.ts'

/** Events that are recorded together share one write to the disk. */
const BATCH = 500

/**
 * Removes events that have waited for too long, or that are too many, such as on hold: the disk must not fill up.
 * Each removal is recorded before.
 */
export async function limitWaiting(deps: WorkerDeps, limits = limitsOf(deps)): Promise<void> {
  const spool = spoolIn(deps.stateDir)
  const events = new Arrivals(spool.new).list().filter(({ id }) => isEvent(id))
  const excess = findExcess(events, (event) => isQuestion(event, spool, deps), limits)
  for (let batch = take(excess, BATCH); batch.length > 0; batch = take(excess, BATCH)) {
    await removeAll(batch, deps)
  }
}

function limitsOf({ stateDir }: WorkerDeps) {
  return limitsWith(freeBytesOf(spoolIn(stateDir)))
}

function isEvent(name: string): boolean {
  return parseName(name)?.isDelivery === false
}

function isQuestion({ id, acceptedAt: at }: Arrival, spool: Spool, { config }: WorkerDeps) {
  try {
    const file = readSpoolFile(join(spool.new, id))
    const stored = 'bytes' in file ? parseSpoolFile(file.bytes) : undefined
    const { abnormalReasons } = config.last.config
    return stored ? parseEvent({ ...stored, id, at }, abnormalReasons).kind === 'permission' : false
  } catch {
    return false
  }
}

function take<Item>(items: Iterator<Item>, max: number): Item[] {
  const taken: Item[] = []
  while (taken.length < max) {
    const { value, done } = items.next()
    if (done) break
    taken.push(value)
  }
  return taken
}

/** Claimed first, so that no other worker delivers what is recorded as dropped. */
async function removeAll(
  excess: readonly { name: string; reason: string }[],
  { journal, now, store }: WorkerDeps,
) {
  const claimed = excess.flatMap(({ name, reason }) => {
    const claim = store.claimEvent(name)
    return claim ? { claim, reason } : []
  })
  const told = claimed.map(({ claim: { id }, reason }) =>
    journal.append({ at: now(), id, type: 'dropped', reason }),
  )
  await waitAtMost(RECORD_LIMIT_MS, Promise.all(told))
  for (const { claim } of claimed) {
    try {
      store.finish(claim)
    } catch {
      // Such as a folder, which the dispatcher sets aside.
      store.release(claim)
    }
  }
}
