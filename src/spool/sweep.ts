import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Spool, SWEEP_TMP_AFTER_MS } from './layout.ts'

/** Removes what nobody will ask for: half-written files of writers long gone, settled events after their time. */
export function sweep(spool: Spool, retentionMs: number, now: number) {
  removeOlder(spool.tmp, SWEEP_TMP_AFTER_MS, now)
  removeOlder(spool.done, retentionMs, now)
  // Notes that a crash left behind, beside no event any more. A claimed event comes back to them in time.
  for (const folder of [spool.deferred, spool.dead]) {
    const isOrphan = (name: string) =>
      name.endsWith('.json') && !existsSync(join(folder, name.slice(0, -'.json'.length)))
    removeOlder(folder, retentionMs, now, isOrphan)
  }
}

function removeOlder(
  folder: string,
  ageMs: number,
  now: number,
  isChosen: (name: string) => boolean = () => true,
) {
  for (const name of readdirSync(folder)) {
    if (!isChosen(name)) continue
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && now - stat.mtimeMs > ageMs) rmSync(path, { recursive: true, force: true })
  }
}
