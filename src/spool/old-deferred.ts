import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listQuietly } from '../fs/list.ts'
import type { Spool } from './layout.ts'
import { parseName } from './names.ts'

/**
 * Moves the events that version 0.1 kept in deferred/ to new/, without their notes: the journal shows which channels
 * are open.
 */
export function takeOverOldDeferred(spool: Spool) {
  const { deferred } = spool
  for (const name of listQuietly(deferred)) {
    const parsed = parseName(name)
    if (!parsed || parsed.isDelivery) continue
    try {
      rmSync(join(deferred, `${name}.json`), { force: true })
      renameSync(join(deferred, name), join(spool.new, `${parsed.id}~${parsed.crashes}`))
    } catch {
      // Such as a folder of another user: it stays, and stops nothing else.
    }
  }
}
