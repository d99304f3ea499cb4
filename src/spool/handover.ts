import { packageVersion } from '../package-root.ts'
import { lockHolder, lockVersion } from './lock/lock.ts'
import { type Owner, ownerToken, thisProcess } from './lock/owner.ts'
import { putRequest, readRequest, takeBackRequest } from './requests.ts'

// After an upgrade, the worker of the older version finishes what is under way, ends, and starts the newer one.
// The request names the process that it is for, so a stale request does not end any other worker.

/** Asks the running worker to end in favour of a newer one. @returns false if none runs */
export function requestHandover(state: string): boolean {
  const holder = lockHolder(state)
  if (!holder || holder.pid === process.pid) return false
  writeRequest(state, holder)
  return true
}

function writeRequest(state: string, worker: Owner) {
  putRequest(state, 'handover', ownerToken(worker))
}

/** Asks the running worker to end if its version is older. @returns whether it was asked */
export function requestHandoverIfOlder(state: string, version = packageVersion()): boolean {
  const holder = lockHolder(state)
  return holder !== undefined && isOlder(lockVersion(state), version) && requestHandover(state)
}

/**
 * Makes this worker ask itself to end if a newer version has replaced its files: an update of the package does so
 * without asking.
 * @param installed the version that these files have now
 */
export function requestHandoverIfReplaced(state: string, installed = packageVersion()) {
  const holder = lockHolder(state)
  if (holder?.pid === process.pid && isOlder(lockVersion(state), installed))
    writeRequest(state, holder)
}

/** Whether this worker is asked to end. */
export function handoverRequested(state: string): boolean {
  const request = readRequest(state, 'handover')
  return request !== undefined && request === ownerToken(thisProcess())
}

/** Removes the request to this process once it is fulfilled. */
export function endHandover(state: string) {
  if (handoverRequested(state)) takeBackRequest(state, 'handover')
}

/** A worker whose lock has no version is older than any whose lock has one. */
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
