import { join } from 'node:path'
import { listQuietly } from '../fs/list.ts'
import { noteFlush } from './flushed.ts'
import type { Spool } from './layout.ts'
import { parseName } from './names.ts'
import { outlineOpen } from './outline.ts'

/**
 * Makes due now all failed deliveries, and the claimed events of workers that wait for a failed destination. Deliveries
 * that a policy holds stay held. @returns how many
 */
export function makeAllDue(spool: Spool): number {
  const failed = outlineOpen(spool).filter(({ isHeld }) => !isHeld).length
  const count = failed + claimedEvents(spool).length
  if (count > 0) noteFlush(spool)
  return count
}

/** Ids of the events that workers have claimed, each once. */
export function claimedEvents({ cur }: Spool): string[] {
  const owners = listQuietly(cur).map((owner) => join(cur, owner))
  const names = owners.flatMap((owner) => listQuietly(owner))
  return [...new Set(names.flatMap((name) => parseName(name)?.id ?? []))]
}
