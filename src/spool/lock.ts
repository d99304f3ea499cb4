import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { packageVersion } from '../package-root.ts'
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

// The lock keeps a second worker from starting for nothing. No promise depends on it: a claim is a rename,
// which only one process can win. So whenever in doubt, a worker works.

/** What this process holds, and what it wrote: both stay true when the machine is renamed. */
const held = new Map<string, { path: string; text: string }>()

export function lockPath(state: string): string {
  return join(state, 'worker.lock')
}

/** Beside the lock of another machine or container, of which nobody here can say whether its holder lives. */
export function sideLockPath(state: string): string {
  return join(state, `worker.${thisProcess().host}.lock`)
}

/** The worker that holds the lock, or undefined where it is free or its holder is gone. */
export function lockHolder(state: string): Owner | undefined {
  return findHolder(state)?.owner
}

/** The version of hookbell that the holder runs; older ones do not say. */
export function lockVersion(state: string): string | undefined {
  return findHolder(state)?.version
}

/**
 * Takes the lock, or one beside it where its holder cannot be seen from here.
 * @returns false when another worker works here. Where there can be no lock: true.
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

/** Whether this worker is the only one: not beside another lock, and not without one. */
export function isSoleWorker(state: string): boolean {
  return held.get(state)?.path === lockPath(state)
}

/** Shows those who cannot look at this process that it lives. */
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
  const seen = [lockPath(state), sideLockPath(state)].flatMap((path) => {
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
    // A full disk, or a file that cannot be read or moved: the receivers may be in good health all the same.
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

/** Removes the lock on proof that its holder does nothing any more. */
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

/** Each container has a name of its own, so what it leaves behind is never asked for again. */
function removeOldSideLocks(state: string) {
  for (const name of readdirSync(state)) {
    const path = join(state, name)
    const owner = /^worker\..+\.lock$/.test(name) ? parseLock(readText(path)) : undefined
    if (owner && !isHeld(owner, path)) rmSync(path, { force: true })
  }
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
