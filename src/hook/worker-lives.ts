import { readFileSync, statSync } from 'node:fs'
import { listQuietly } from '../fs/list.ts'
import { LEASE_MS } from '../spool/lock/lease.ts'
import { hasProc, isRunning, statOf } from '../spool/lock/process.ts'

/** Whether a running worker will notice the new event by itself. Same check: bin/hookbell-hook. */
export function workerLives(state: string): boolean {
  if (isHeld(`${state}/worker.lock`)) return true
  // A worker takes such a lock if another machine or container holds worker.lock.
  const names = listQuietly(state).filter((name) => /^worker\..+\.lock$/.test(name))
  return names.some((name) => isHeld(`${state}/${name}`))
}

/** The lock contains process id and start time. */
function isHeld(lock: string): boolean {
  try {
    const [pid = '', started] = readFileSync(lock, 'utf8').split(' ')
    if (!isRunning(Number(pid))) return false
    if (hasProc()) return statOf(pid)?.started === started
    // Another process may have reused the process id; but a worker touches its lock once a minute.
    return Math.abs(Date.now() - statSync(lock).mtimeMs) < LEASE_MS
  } catch {
    return false
  }
}
