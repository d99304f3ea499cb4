import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Spool, SWEEP_TMP_AFTER_MS } from './layout.ts'

/** Removes half-written files of writers that are long gone, and the settled events that version 0.1 kept. */
export function sweep(spool: Spool, now: number) {
  removeOlder(spool.tmp, SWEEP_TMP_AFTER_MS, now)
  rmSync(join(spool.state, 'spool/done'), { recursive: true, force: true })
}

function removeOlder(folder: string, ageMs: number, now: number) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && now - stat.mtimeMs > ageMs) rmSync(path, { recursive: true, force: true })
  }
}
