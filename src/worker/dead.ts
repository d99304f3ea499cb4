import { appendEntry } from '../journal/write.ts'
import { type DeadItem, dropItem, listDead, retryItem } from '../spool/dead.ts'
import { prepareSpool } from '../spool/prepare.ts'

// The record comes before the move: a worker that runs delivers at once, and its record must come after this one.

/** Keeps the ids, and what was delivered stays delivered: only what gave up is tried again. */
export async function retryDead(stateDir: string, item: DeadItem): Promise<void> {
  for (const id of item.events) await appendEntry(stateDir, { at: Date.now(), id, type: 'retried' })
  retryItem(prepareSpool(stateDir), item)
}

/** Removes it for good; its events do not count any more. */
export async function dropDead(stateDir: string, item: DeadItem): Promise<void> {
  for (const id of item.events) await appendEntry(stateDir, { at: Date.now(), id, type: 'dropped' })
  dropItem(prepareSpool(stateDir), item)
}

/** What gave up, of the events whose id starts so. */
export function findDead(stateDir: string, start = ''): DeadItem[] {
  return listDead(prepareSpool(stateDir)).filter(({ events }) =>
    events.some((id) => id.startsWith(start)),
  )
}
