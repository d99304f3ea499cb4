import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listQuietly } from '../fs/list.ts'
import { noteFlush } from './flushed.ts'
import type { Spool } from './layout.ts'
import { parseName } from './names.ts'
import { outlineParked } from './outline.ts'
import { eventsOf } from './park.ts'

/** Makes every delivery that failed due now; what a policy holds stays held. @returns how many */
export function makeAllDue(spool: Spool): number {
  const count = outlineParked(spool).filter(({ isHeld }) => !isHeld).length
  if (count > 0) noteFlush(spool)
  return count
}

/** Removes events that nobody has claimed, and parked deliveries. @returns the ids of the events, each once */
export function purgeAll(spool: Spool): string[] {
  const ids = new Set<string>()
  for (const folder of [spool.new, spool.deferred]) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (!parseName(name)) continue
      const events = eventsOf(path)
      rmSync(path, { force: true })
      for (const id of events) ids.add(id)
    }
  }
  return [...ids]
}

/** Ids of the events that workers have claimed, each once. */
export function claimedEvents({ cur }: Spool): string[] {
  const owners = listQuietly(cur).map((owner) => join(cur, owner))
  const paths = owners.flatMap((owner) => listQuietly(owner).map((name) => join(owner, name)))
  return [...new Set(paths.flatMap(eventsOf))]
}
