import { closeSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { errorCode } from '../errors.ts'

/** No edit of a small file takes so long: who holds a lock longer has died. */
const ABANDONED_MS = 5000
const PAUSE_MS = 20

/**
 * Does the work while no other process does work for the same file. Waits for them; a lock that stays the same for five
 * seconds was left by a process that died, and is taken over.
 */
export function withLock<T>(path: string, work: () => T, abandonedMs = ABANDONED_MS): T {
  const lock = `${path}.lock`
  const own = acquire(lock, abandonedMs)
  try {
    return work()
  } finally {
    // Not one of a process that took ours for abandoned.
    if (identityOf(lock) === own) rmSync(lock, { force: true })
  }
}

/** @returns what tells our lock from any other */
function acquire(lock: string, abandonedMs: number): string {
  // By the time that passes here: clocks of two machines may differ.
  let seen: string | undefined
  let since = performance.now()
  for (;;) {
    const own = create(lock)
    if (own !== undefined) return own
    const held = identityOf(lock)
    if (held === undefined) continue
    if (held !== seen) {
      seen = held
      since = performance.now()
    } else if (performance.now() - since > abandonedMs) remove(lock, held)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
}

function create(lock: string): string | undefined {
  try {
    const file = openSync(lock, 'wx', 0o600)
    closeSync(file)
    return identityOf(lock)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

/** Moved away first, to see whether it is still the one that was abandoned: another process may have been quicker. */
function remove(lock: string, abandoned: string) {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    if (identityOf(aside) !== abandoned) linkSync(aside, lock)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** The number of a file alone is given again as soon as the file is gone. */
function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.ino} ${stat.mtimeNs}`
}
