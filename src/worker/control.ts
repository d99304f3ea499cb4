import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { appendEntry } from '../journal/write.ts'
import type { Claim } from '../spool/claim.ts'
import { claimedEvents, makeAllDue } from '../spool/control.ts'
import { FileStore } from '../spool/file-store.ts'
import { parseName } from '../spool/names.ts'
import { notifyWorker } from '../spool/notify-worker.ts'
import { eventsOf, isParkedByLaterVersion } from '../spool/park.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { holdPath } from './on-hold.ts'
import { notePurge, PURGED } from './purged.ts'

/** Holds everything back, or lets it go again. @throws the system error */
export function setOnHold(stateDir: string, isHeld: boolean) {
  prepareSpool(stateDir)
  if (isHeld) writeFileSync(holdPath(stateDir), '', { mode: 0o600 })
  else rmSync(holdPath(stateDir), { force: true })
  notifyWorker(stateDir)
}

/** Makes all failed deliveries due now. @returns how many deliveries */
export function flush(stateDir: string): number {
  const count = makeAllDue(prepareSpool(stateDir))
  if (count > 0) notifyWorker(stateDir)
  return count
}

/**
 * Removes everything that waits, without delivering it. A running worker drops and records its own queue itself; an
 * attempt already under way is completed, and is the last one. @returns how many events
 * @throws the system error if the removal cannot be recorded; the events are removed even then, since a full disk may
 * be the cause
 */
export async function purge(stateDir: string): Promise<number> {
  const store = new FileStore({ stateDir })
  store.reclaimAbandoned()
  const claimed = claimedEvents(store.spool)
  // Claimed first: if this process is killed before it records the purge, the next worker gets them again.
  const taken = takeAll(store)
  const ids = [...new Set(taken.flatMap(({ events }) => events))]
  const at = Date.now()
  try {
    notePurge(stateDir)
    notifyWorker(stateDir)
    await Promise.all(
      ids.map((id) => appendEntry(stateDir, { at, id, type: 'suppressed', reason: PURGED })),
    )
  } finally {
    for (const { claim } of taken) store.finish(claim)
    store.close()
  }
  return new Set([...ids, ...claimed]).size
}

interface Taken {
  claim: Claim
  events: readonly string[]
}

/** Claims the waiting events and deliveries. Files that cannot be claimed, and files that are neither, stay. */
function takeAll(store: FileStore): Taken[] {
  const { spool } = store
  return [...filesIn(spool.new), ...filesIn(spool.deferred)].flatMap((path) => {
    try {
      return take(path, store) ?? []
    } catch {
      return []
    }
  })
}

function take(path: string, store: FileStore): Taken | undefined {
  const name = basename(path)
  const parsed = parseName(name)
  if (!parsed || isParkedByLaterVersion(path)) return undefined
  const events = eventsOf(path)
  const claim = parsed.isDelivery ? store.claimParked(name) : store.claimEvent(name)
  return claim && { claim, events }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((one) => one.isFile()).map(({ name }) => join(folder, name))
}
