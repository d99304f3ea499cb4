import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listQuietly } from '../fs/read.ts'
import { appendEntry } from '../journal/journal.ts'
import type { DeliveryClaim } from '../spool/cards.ts'
import type { Claim } from '../spool/claim.ts'
import { parseName, prepareSpool, type Spool } from '../spool/layout.ts'
import { outlineOpen } from '../spool/outline.ts'
import { putRequest, takeBackRequest } from '../spool/requests.ts'
import { Store } from '../spool/store.ts'

/** The recorded reason for purged events. */
export const PURGED = 'purged by hand'

/** Holds everything back, or lets it go again. @throws the system error */
export function setOnHold(stateDir: string, isHeld: boolean) {
  prepareSpool(stateDir)
  if (isHeld) putRequest(stateDir, 'hold')
  else takeBackRequest(stateDir, 'hold')
}

/**
 * Makes due now all failed deliveries, and the claimed events of workers that wait for a failed destination. Deliveries
 * that a policy holds stay held. They are not rewritten, because that would bring back those that a worker claims meanwhile.
 * @returns how many @throws the system error
 */
export function flush(stateDir: string): number {
  const spool = prepareSpool(stateDir)
  const failed = outlineOpen(spool).filter(({ isHeld }) => !isHeld).length
  const count = failed + claimedEvents(spool).length
  if (count > 0) putRequest(stateDir, 'flush')
  return count
}

/** Ids of the events that workers have claimed, each once. */
function claimedEvents({ cur }: Spool): string[] {
  const owners = listQuietly(cur).map((owner) => join(cur, owner))
  const names = owners.flatMap((owner) => listQuietly(owner))
  return [...new Set(names.flatMap((name) => parseName(name)?.id ?? []))]
}

/**
 * Removes everything that waits, without delivering it. A running worker drops and records its own queue itself; an
 * attempt already in flight is completed, and is the last one. @returns how many events
 * @throws the system error if the removal cannot be recorded; the events are removed even then, since a full disk may
 * be the cause
 */
export async function purge(stateDir: string): Promise<number> {
  const store = new Store({ stateDir })
  store.reclaimAbandoned()
  const claimed = claimedEvents(store.spool)
  // Claimed first: if this process is killed before it records the purge, the next worker gets them again.
  const [events, deliveries] = takeAll(store)
  const ids = [...new Set([...events.map(({ id }) => id), ...deliveries.map(({ event }) => event)])]
  const at = Date.now()
  try {
    putRequest(stateDir, 'purge')
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
function takeAll(store: Store): [Claim[], DeliveryClaim[]] {
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
