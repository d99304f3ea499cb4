import { join } from 'node:path'
import { replaceFile } from '../fs/durable.ts'
import { isMissing } from '../fs/missing.ts'
import { readQuietly } from '../fs/read.ts'
import type { Spool } from './layout.ts'

/**
 * Notes that a person asks for all failed deliveries to be tried now. The deliveries themselves are not rewritten,
 * because that would bring back those that a worker claims meanwhile.
 * @throws the system error
 */
export function noteFlush(spool: Spool) {
  replaceFile(pathIn(spool), `${Date.now()}\n`)
}

/** When that was asked for last, Unix ms; 0 if it never was. */
export function readFlushedAt(spool: Spool): number {
  const path = pathIn(spool)
  if (isMissing(path)) return 0
  return Number(readQuietly(path)) || 0
}

/**
 * Whether a delivery is due because it was kept before the flush. What a policy holds is not. A flush in the future
 * does not count, since after the clock was set back it would make the same delivery due again and again.
 */
export function isFlushed(
  { isHeld, since }: { isHeld: boolean; since: number },
  flushedAt: number,
  now: number,
): boolean {
  return !isHeld && since <= flushedAt && flushedAt <= now
}

function pathIn({ state }: Spool): string {
  return join(state, 'flushed')
}
