import { rmSync, writeFileSync } from 'node:fs'
import { appendEntry } from '../journal/write.ts'
import { claimedEvents, makeAllDue, purgeAll } from '../spool/control.ts'
import { FileStore } from '../spool/file-store.ts'
import { notifyWorker } from '../spool/notify-worker.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { holdPath } from './on-hold.ts'
import { notePurge, PURGED } from './purged.ts'

/** @throws the system error */
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
 * Removes everything that waits, undelivered. A running worker drops and records its own queue itself; an attempt
 * already under way is completed. @returns how many events
 */
export async function purge(stateDir: string): Promise<number> {
  const store = new FileStore({ stateDir })
  store.reclaimAbandoned()
  store.close()
  const ids = purgeAll(store.spool)
  const inLine = claimedEvents(store.spool).filter((id) => !ids.includes(id))
  notePurge(stateDir)
  notifyWorker(stateDir)
  const at = Date.now()
  await Promise.all(
    ids.map((id) => appendEntry(stateDir, { at, id, type: 'suppressed', reason: PURGED })),
  )
  return ids.length + inLine.length
}
