import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { livenessOf, type Owner, parseOwner, thisProcess } from './owner.ts'

// The lock keeps a second worker from starting for nothing. No promise depends on it: a claim is a rename,
// which only one process can win.

export function lockPath(state: string): string {
  return join(state, 'worker.lock')
}

/** The worker that holds the lock, or undefined where it is free or its holder is gone. */
export function lockHolder(state: string): Owner | undefined {
  const owner = parseOwner(readText(lockPath(state)))
  return owner && isHeld(owner) ? owner : undefined
}

/** @returns false when another worker holds it */
export function acquireLock(state: string): boolean {
  const { pid, started, boot } = thisProcess()
  const mine = `${lockPath(state)}.${pid}`
  // bin/hookbell-hook reads the first two words.
  writeFileSync(mine, `${pid} ${started} ${boot}\n`, { mode: 0o600 })
  try {
    for (let round = 0; round < 3; round += 1) {
      if (take(mine, lockPath(state))) return true
      if (!breakStale(lockPath(state), `${mine}.stale`)) return false
    }
    return false
  } finally {
    rmSync(mine, { force: true })
  }
}

export function releaseLock(state: string) {
  const owner = parseOwner(readText(lockPath(state)))
  if (owner?.pid === process.pid) rmSync(lockPath(state), { force: true })
}

/** A link appears with its content, unlike a file that is created and then written. */
function take(mine: string, lock: string): boolean {
  try {
    linkSync(mine, lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // No hard links here (exFAT, some mounts).
    return takeWithoutLinks(mine, lock)
  }
}

function takeWithoutLinks(mine: string, lock: string): boolean {
  try {
    writeFileSync(lock, readText(mine), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock on proof that its holder does nothing any more. @returns false when it is held */
function breakStale(lock: string, aside: string): boolean {
  const seen = readText(lock)
  const owner = parseOwner(seen)
  if (owner && isHeld(owner)) return false
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    throw error
  }
  // Another worker may have replaced the stale lock between our look and our rename: give it back.
  const isStale = readText(aside) === seen
  if (!isStale) take(aside, lock)
  rmSync(aside, { force: true })
  return isStale
}

/** A stopped holder keeps its claims but not the lock. */
function isHeld(owner: Owner): boolean {
  return ['alive', 'doubt'].includes(livenessOf(owner))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
