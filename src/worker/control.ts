import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { appendEntry } from '../journal/write.ts'
import type { Claim } from '../spool/claim.ts'
import { claimedEvents, makeAllDue } from '../spool/control.ts'
import { FileStore } from '../spool/file-store.ts'
import { parseName } from '../spool/names.ts'
import { notifyWorker } from '../spool/notify-worker.ts'
import { prepareSpool } from '../spool/prepare.ts'
import type { DeliveryClaim } from '../spool/store.ts'
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
  const [events, deliveries] = takeAll(store)
  const ids = [...new Set([...events.map(({ id }) => id), ...deliveries.map(({ event }) => event)])]
  const at = Date.now()
  try {
    notePurge(stateDir)
    notifyWorker(stateDir)
    await Promise.all(
      ids.map((id) => appendEntry(stateDir, { at, id, type: 'suppressed', reason: PURGED })),
    )
  } finally {
    for (const claim of events) store.finish(claim)
    for (const claim of deliveries) await store.finishDelivery(claim)
    store.close()
  }
  return new Set([...ids, ...claimed]).size
}

/** Claims what waits. Files that cannot be claimed, and files that are neither events nor cards, stay. */
function takeAll(store: FileStore): [Claim[], DeliveryClaim[]] {
  const entries = readdirSync(store.spool.new, { withFileTypes: true })
  const names = entries.filter((one) => one.isFile()).map(({ name }) => name)
  const events = names.filter((name) => parseName(name)?.isCard === false)
  return [
    events.flatMap((name) => orNone(() => store.claimEvent(name))),
    store.deliveries().flatMap((id) => orNone(() => store.claimDelivery(id))),
  ]
}

function orNone<Value>(take: () => Value | undefined): Value[] {
  try {
    const value = take()
    return value === undefined ? [] : [value]
  } catch {
    return []
  }
}
