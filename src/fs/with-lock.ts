import { closeSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { errorCode } from '../errors.ts'

/** No edit of a small file takes this long: a process that holds its lock longer has died. */
const ABANDONED_MS = 5000
const PAUSE_MS = 20

/**
 * Runs `work` while holding a lock for a file, so that no other process does so at the same time. Waits for the lock.
 * A lock that is unchanged for five seconds was left by a process that died, and is taken over.
 */
export function withLock<T>(path: string, work: () => T, abandonedMs = ABANDONED_MS): T {
  const lock = `${path}.lock`
  const own = acquire(lock, abandonedMs)
  try {
    return work()
  } finally {
    // Only our own lock: another process may have taken it over as abandoned.
    if (identityOf(lock) === own) rmSync(lock, { force: true })
  }
}

/** @returns the identity of our lock */
function acquire(lock: string, abandonedMs: number): string {
  // Measured with the local clock only: the clocks of two machines may differ.
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

/** Renames the lock first, to check that it is still the abandoned one: another process may have been faster. */
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

/** With the time, because an inode number is reused as soon as its file is gone. */
function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.ino} ${stat.mtimeNs}`
}
