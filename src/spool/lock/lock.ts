import {
  linkSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../errors.ts'
import { isMissing, readQuietly } from '../../fs/read.ts'
import { packageVersion } from '../../package-root.ts'
import {
  isElsewhere,
  LEASE_MS,
  livenessOf,
  type Owner,
  ownerToken,
  parseOwner,
  thisProcess,
} from './owner.ts'
import { endStart } from './start-marker.ts'

// The lock avoids a useless second worker. No guarantee depends on it: a claim is a rename, which only one process
// can win. So whenever in doubt, a worker runs.

/** Locks of this process, by state folder. Path and text may contain the host name, which may change meanwhile. */
const held = new Map<string, { path: string; text: string }>()

export function lockPath(state: string): string {
  return join(state, 'worker.lock')
}

/** A lock beside that of another machine or container, whose process cannot be seen from here. */
function sideLockPath(state: string): string {
  return join(state, `worker.${thisProcess().host}.lock`)
}

/** The worker that holds the lock, or undefined where it is free or its holder is gone. */
export function lockHolder(state: string): Owner | undefined {
  return findHolder(state)?.owner
}

/** The version of hookbell that the holder runs; undefined for old versions, which did not write it. */
export function lockVersion(state: string): string | undefined {
  return findHolder(state)?.version
}

/**
 * Takes the lock, or one beside it if its holder cannot be seen from here.
 * @returns false if another worker runs here; true also if no lock can be made
 */
export function acquireLock(state: string, version = packageVersion()): boolean {
  // bin/hookbell-hook reads the first two words.
  const text = `${ownerToken(thisProcess()).replaceAll('_', ' ')} ${version}\n`
  let path = lockPath(state)
  let outcome = acquire(path, text)
  if (outcome === 'in doubt') {
    path = sideLockPath(state)
    outcome = acquire(path, text)
  }
  if (outcome === 'taken') held.set(state, { path, text })
  endStart(state)
  if (outcome === 'busy' || outcome === 'in doubt') return false
  removeOldSideLocks(state)
  return true
}

/** Whether this worker is the only one: it holds a lock, and that is the main one. */
export function isSoleWorker(state: string): boolean {
  return held.get(state)?.path === lockPath(state)
}

/** Renews the lease, for those who cannot see whether this process lives. */
export function touchLock(state: string) {
  const mine = mineIn(state)
  const now = new Date()
  if (mine) utimesSync(mine.path, now, now)
}

export function releaseLock(state: string) {
  const mine = mineIn(state)
  if (mine) rmSync(mine.path, { force: true })
  held.delete(state)
}

function mineIn(state: string) {
  const mine = held.get(state)
  return mine && readText(mine.path) === mine.text ? mine : undefined
}

function findHolder(state: string): { owner: Owner; version?: string } | undefined {
  const seen = [lockPath(state), ...sideLocksIn(state)].flatMap((path) => {
    const text = readText(path)
    const owner = parseLock(text)
    const [, , , , version] = text.trim().split(' ')
    return owner && isHeld(owner, path) ? [{ owner, ...(version && { version }) }] : []
  })
  return seen.find(({ owner }) => !isElsewhere(owner)) ?? seen[0]
}

function parseLock(text: string): Owner | undefined {
  return parseOwner(text.split(' ').slice(0, 4).join(' '))
}

type Outcome = 'taken' | 'busy' | 'in doubt' | 'none'

function acquire(path: string, text: string): Outcome {
  const temporary = `${path}.${ownerToken(thisProcess())}`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    for (let round = 0; round < 3; round += 1) {
      if (take(temporary, path)) return 'taken'
      const outcome = breakStale(path, `${temporary}.stale`)
      if (outcome !== 'broken') return outcome
    }
    return 'busy'
  } catch {
    // A full disk, or a file that cannot be read or moved: a worker may still be able to deliver.
    return isBusy(path) ? 'busy' : 'none'
  } finally {
    rmSync(temporary, { force: true })
  }
}

function isBusy(path: string): boolean {
  const owner = parseLock(readText(path))
  return owner !== undefined && !isElsewhere(owner) && isHeld(owner, path)
}

/** A link appears with its content, unlike a file that is created and then written. */
function take(temporary: string, lock: string): boolean {
  try {
    linkSync(temporary, lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    // No hard links here (exFAT, some mounts).
    return takeWithoutLinks(temporary, lock)
  }
}

function takeWithoutLinks(temporary: string, lock: string): boolean {
  try {
    writeFileSync(lock, readText(temporary), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock if its holder is dead or stopped, or if its lease has expired. */
function breakStale(lock: string, aside: string): 'broken' | 'busy' | 'in doubt' {
  const seen = readText(lock)
  const owner = parseLock(seen)
  if (owner && isHeld(owner, lock)) return isElsewhere(owner) ? 'in doubt' : 'busy'
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'broken'
    throw error
  }
  // Another worker may have replaced the stale lock between our look and our rename: give it back.
  const isStale = readText(aside) === seen
  if (!isStale) take(aside, lock)
  rmSync(aside, { recursive: true, force: true })
  return isStale ? 'broken' : 'busy'
}

/** Each container has a host name of its own, so nobody else would reuse or remove the lock that it left. */
function removeOldSideLocks(state: string) {
  for (const path of sideLocksIn(state)) {
    const owner = parseLock(readText(path))
    if (owner && !isHeld(owner, path)) rmSync(path, { force: true })
  }
}

/** The front door too counts a worker with any of these locks as running. */
function sideLocksIn(state: string): string[] {
  try {
    const names = readdirSync(state).filter((name) => /^worker\..+\.lock$/.test(name))
    return names.map((name) => join(state, name))
  } catch {
    return []
  }
}

/** A stopped holder loses the lock at once, but its claims only after their lease. */
function isHeld(owner: Owner, lock: string): boolean {
  const liveness = livenessOf(owner)
  if (liveness !== 'unknown') return liveness === 'alive'
  const touchedAt = lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return Math.abs(Date.now() - touchedAt) <= LEASE_MS
}

function readText(path: string): string {
  return isMissing(path) ? '' : (readQuietly(path) ?? '')
}
