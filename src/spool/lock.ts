import {
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { LEASE_MS, livenessOf, type Owner, ownerToken, parseOwner, thisProcess } from './owner.ts'

// The lock keeps a second worker from starting for nothing. No promise depends on it: a claim is a rename,
// which only one process can win.

export function lockPath(state: string): string {
  return join(state, 'worker.lock')
}

/** The worker that holds the lock, or undefined where it is free or its holder is gone. */
export function lockHolder(state: string): Owner | undefined {
  const owner = parseOwner(readText(lockPath(state)))
  return owner && isHeld(owner, lockPath(state)) ? owner : undefined
}

/** @returns false when another worker holds it */
export function acquireLock(state: string): boolean {
  const me = ownerToken(thisProcess())
  const mine = `${lockPath(state)}.${me}`
  // bin/hookbell-hook reads the first two words.
  writeFileSync(mine, `${me.replaceAll('_', ' ')}\n`, { mode: 0o600 })
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

/** Shows those who cannot look at this process that it lives. */
export function touchLock(state: string) {
  if (!isMine(state)) return
  const now = new Date()
  utimesSync(lockPath(state), now, now)
}

export function releaseLock(state: string) {
  if (isMine(state)) rmSync(lockPath(state), { force: true })
}

function isMine(state: string): boolean {
  const owner = parseOwner(readText(lockPath(state)))
  return owner !== undefined && ownerToken(owner) === ownerToken(thisProcess())
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
  if (owner && isHeld(owner, lock)) return false
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    throw error
  }
  // Another worker may have replaced the stale lock between our look and our rename: give it back.
  const isStale = readText(aside) === seen
  if (!isStale) take(aside, lock)
  rmSync(aside, { recursive: true, force: true })
  return isStale
}

/** A stopped holder keeps its claims but not the lock. */
function isHeld(owner: Owner, lock: string): boolean {
  const liveness = livenessOf(owner)
  if (liveness !== 'unknown') return liveness === 'alive'
  const touchedAt = lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return Math.abs(Date.now() - touchedAt) <= LEASE_MS
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
