import { join } from 'node:path'
import { listQuietly } from '../fs/list.ts'
import { isFlushed, readFlushedAt } from './flushed.ts'
import type { Spool } from './layout.ts'
import { parseName } from './names.ts'
import { readSpoolFile } from './read.ts'

/** When a parked delivery is due. */
interface ParkedOutline {
  /** Unix ms; 0 for now. */
  until: number
  /** Held by a policy; otherwise it failed and waits for its next attempt. */
  isHeld: boolean
}

/**
 * Outlines of the parked deliveries, read without a schema, for a command that has to be quick. None if the folder cannot
 * be read, which `spoolAtRisk` reports.
 */
export function outlineParked(spool: Spool): ParkedOutline[] {
  const flushedAt = readFlushedAt(spool)
  const now = Date.now()
  return listQuietly(spool.deferred).flatMap((name) => {
    if (!parseName(name)?.isDelivery) return []
    const { delivery, since = 0, isHeld } = readFields(join(spool.deferred, name))
    const until = delivery?.notBefore
    if (typeof until !== 'number') return []
    const wait = { isHeld: isHeld === true, since: Number(since) }
    return [{ until: isFlushed(wait, flushedAt, now) ? 0 : until, isHeld: wait.isHeld }]
  })
}

interface Fields {
  since?: unknown
  isHeld?: unknown
  delivery?: { notBefore?: unknown } | null
}

function readFields(path: string): Fields {
  try {
    const file = readSpoolFile(path)
    return 'bytes' in file ? Object(JSON.parse(file.bytes.toString())) : {}
  } catch {
    // A worker has just claimed it, or it is damaged and a worker will set it aside.
    return {}
  }
}
