import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Spool, SWEEP_TMP_AFTER_MS } from './layout.ts'

/** Removes what nobody will ask for: half-written files of writers long gone, settled events after their time. */
export function sweep(spool: Spool, retentionMs: number, now: number) {
  removeOlder(spool.tmp, SWEEP_TMP_AFTER_MS, now)
  removeOlder(spool.done, retentionMs, now)
}

function removeOlder(folder: string, ageMs: number, now: number) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && now - stat.mtimeMs > ageMs) rmSync(path, { recursive: true, force: true })
  }
}
