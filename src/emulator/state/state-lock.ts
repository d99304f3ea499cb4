import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf, EmulatorError } from '../errors.ts'

// The locks of this process. A restarted process may get its old ID again: only this tells its stale lock from a
// current one.
const held = new Set<string>()

/**
 * Locks a state file: two emulators would overwrite each other's changes.
 * Returns a function that releases the lock.
 */
export function lockState(file: string): () => void {
  const lock = resolve(`${file}.lock`)
  if (!make(lock, file)) {
    const holder = readHolder(lock)
    if (isRunning(lock, holder)) throw inUse(file, lock, holder)
    // Left behind by an emulator that was killed.
    remove(lock)
    if (!make(lock, file)) throw inUse(file, lock, readHolder(lock))
  }
  held.add(lock)
  return () => {
    if (held.delete(lock)) remove(lock)
  }
}

function make(lock: string, file: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false
    const hint = codeOf(cause) === 'ENOENT' ? `There is no folder "${dirname(file)}"` : undefined
    throw new EmulatorError(`state file "${file}": cannot be written`, { cause, hint })
  }
}

function readHolder(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'))
  } catch {
    return Number.NaN
  }
}

/** Whether the process that holds the lock is running. An empty lock is one that is being written. */
function isRunning(lock: string, holder: number): boolean {
  if (!Number.isSafeInteger(holder) || holder <= 0) return true
  if (holder === process.pid) return held.has(lock)
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function inUse(file: string, lock: string, holder: number) {
  const who = holder > 0 ? `process ${holder}` : 'another process'
  return new EmulatorError(`state file "${file}": in use by the emulator of ${who}`, {
    isTaken: true,
    hint: `Stop that one, or take another file. If none is running, delete "${lock}"`,
  })
}

function remove(lock: string) {
  try {
    unlinkSync(lock)
  } catch {
    // Already removed, or its folder is gone.
  }
}
