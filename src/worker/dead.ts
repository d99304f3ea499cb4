import { appendEntry } from '../journal/write.ts'
import { type DeadItem, dropItem, listDead, retryItem } from '../spool/dead.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { putRequest } from '../spool/requests.ts'

// Each record is written before the move: a running worker delivers at once, and its records must come after this one.

/** Ends the pauses of destinations that have failed: a person who retries something dead has repaired them. */
export function endPauses(stateDir: string): void {
  prepareSpool(stateDir)
  putRequest(stateDir, 'flush')
}

/** Retries a dead delivery or event under the same id. Channels that delivered the event do not get it again. */
export async function retryDead(stateDir: string, item: DeadItem): Promise<void> {
  await appendEntry(stateDir, { at: Date.now(), id: item.event, type: 'retried' })
  await retryItem(prepareSpool(stateDir), item)
}

/** Removes the item for good. Its event no longer counts as dead. */
export async function dropDead(stateDir: string, item: DeadItem): Promise<void> {
  const { event: id, channel } = item
  const dropped = {
    type: 'dropped',
    ...(channel && { channel }),
    reason: 'dropped by hand',
  } as const
  await appendEntry(stateDir, { at: Date.now(), id, ...dropped })
  dropItem(prepareSpool(stateDir), item)
}

/** Dead items of the events whose id begins with `start`. */
export function findDead(stateDir: string, start = ''): DeadItem[] {
  return listDead(prepareSpool(stateDir)).filter(({ event }) => event.startsWith(start))
}
