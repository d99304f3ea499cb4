import { readdirSync, readFileSync, statSync } from 'node:fs'
import { LEASE_MS } from '../spool/lease.ts'
import { hasProc, isRunning, statOf } from '../spool/process.ts'

/** Whether a worker sees the new event by itself. Same question: bin/hookbell-hook. */
export function workerLives(state: string): boolean {
  if (isHeld(`${state}/worker.lock`)) return true
  // Beside the lock of another machine or container.
  const names = list(state).filter((name) => /^worker\..+\.lock$/.test(name))
  return names.some((name) => isHeld(`${state}/${name}`))
}

/** The lock holds process id and start time. */
function isHeld(lock: string): boolean {
  try {
    const [pid = '', started] = readFileSync(lock, 'utf8').split(' ')
    if (!isRunning(Number(pid))) return false
    if (hasProc()) return statOf(pid)?.started === started
    // The process id may be in use by another: a worker touches its lock once a minute.
    return Math.abs(Date.now() - statSync(lock).mtimeMs) < LEASE_MS
  } catch {
    return false
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
