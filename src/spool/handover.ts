import { readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurable } from '../fs/durable.ts'
import { packageVersion } from '../package-root.ts'
import { lockHolder, lockVersion } from './lock.ts'
import { ownerToken, thisProcess } from './owner.ts'

// After an upgrade the worker of the older version ends after what it has in hand, and starts the newer one.
// The request names the process that is meant, so one that was left behind is no request to anybody else.

function requestPath(state: string): string {
  return join(state, 'worker.handover')
}

/** Asks the worker that runs to make room for a newer one. @returns false where none runs */
export function requestHandover(state: string): boolean {
  const holder = lockHolder(state)
  if (!holder || holder.pid === process.pid) return false
  const path = requestPath(state)
  const temporary = `${path}.${process.pid}`
  rmSync(temporary, { force: true })
  writeDurable(path, [`${ownerToken(holder)}\n`], temporary)
  notify(state)
  return true
}

/** For whoever may be newer than the worker. @returns whether that one was asked to end */
export function requestHandoverIfOlder(state: string, version = packageVersion()): boolean {
  const holder = lockHolder(state)
  return holder !== undefined && isOlder(lockVersion(state), version) && requestHandover(state)
}

/** Asked by the worker each time it looks for work; costs one call where nobody asked. */
export function handoverRequested(state: string): boolean {
  try {
    return readFileSync(requestPath(state), 'utf8').trim() === ownerToken(thisProcess())
  } catch {
    return false
  }
}

/** The request was met. */
export function endHandover(state: string) {
  if (handoverRequested(state)) rmSync(requestPath(state), { force: true })
}

/** A worker that waits watches this folder. */
function notify(state: string) {
  try {
    const now = new Date()
    utimesSync(join(state, 'spool', 'new'), now, now)
  } catch {
    // It looks again within a minute.
  }
}

/** A worker that does not say its version is older than any that does. */
function isOlder(version: string | undefined, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)]
  for (const [index, number] of right.entries()) {
    const other = left[index] ?? -1
    if (other !== number) return other < number
  }
  return false
}

function numbersOf(version = ''): number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').filter(Boolean).map(Number)
}
