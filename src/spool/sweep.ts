import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Spool, SWEEP_TMP_AFTER_MS } from './layout.ts'

/** Removes half-written files of writers that are long gone. */
export function sweep(spool: Spool, now: number) {
  removeOlder(spool.tmp, SWEEP_TMP_AFTER_MS, now)
}

function removeOlder(folder: string, ageMs: number, now: number) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat && now - stat.mtimeMs > ageMs) rmSync(path, { recursive: true, force: true })
  }
}
