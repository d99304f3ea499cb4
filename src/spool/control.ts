import { join } from 'node:path'
import { listQuietly } from '../fs/list.ts'
import { noteFlush } from './flushed.ts'
import type { Spool } from './layout.ts'
import { outlineParked } from './outline.ts'
import { eventsOf } from './park.ts'

/**
 * Makes due now all failed deliveries, and the claimed events of workers that wait for a failed destination. Deliveries
 * that a policy holds stay held. @returns how many
 */
export function makeAllDue(spool: Spool): number {
  const failed = outlineParked(spool).filter(({ isHeld }) => !isHeld).length
  const count = failed + claimedEvents(spool).length
  if (count > 0) noteFlush(spool)
  return count
}

/** Ids of the events that workers have claimed, each once. */
export function claimedEvents({ cur }: Spool): string[] {
  const owners = listQuietly(cur).map((owner) => join(cur, owner))
  const paths = owners.flatMap((owner) => listQuietly(owner).map((name) => join(owner, name)))
  return [...new Set(paths.flatMap(eventsOf))]
}
