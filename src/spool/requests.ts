import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { privateFolder, replaceFile } from '../fs/durable.ts'
import { isMissing, readQuietly } from '../fs/read.ts'
import { packageVersion } from '../package-root.ts'
import { spoolIn } from './layout.ts'
import { lockHolder, lockVersion } from './lock/lock.ts'
import { type Owner, ownerToken, thisProcess } from './lock/owner.ts'

/**
 * What a worker is asked for: to send nothing (`hold`), to try what failed now (`flush`), to drop what waits (`purge`), or to
 * end in favour of a newer one (`handover`). And what the hooks are asked for: to wait for no answers (`answers-off`), or also
 * where that keeps a question off the screen (`away`, until the time in it, Unix ms). Channels may answer until a time
 * (`answers-until`), and a person with a code shall be allowed to (`pairing`). Each is a file in requests/, which the worker
 * watches.
 */
type Request =
  | 'hold'
  | 'flush'
  | 'purge'
  | 'handover'
  | 'answers-off'
  | 'answers-until'
  | 'away'
  | 'pairing'

/** @param text default: the time, Unix ms @throws the system error */
export function putRequest(state: string, request: Request, text = `${Date.now()}`) {
  privateFolder(spoolIn(state).requests)
  replaceFile(pathOf(state, request), `${text}\n`)
}

export function takeBackRequest(state: string, request: Request) {
  rmSync(pathOf(state, request), { force: true })
}

/** Its text; undefined without one. Called each time a worker looks for work; without a request it costs one call. */
export function readRequest(state: string, request: Request): string | undefined {
  const path = pathOf(state, request)
  return isMissing(path) ? undefined : readQuietly(path)?.trim()
}

/** Whether it is made, even if it cannot be read. */
export function isRequested(state: string, request: Request): boolean {
  return !isMissing(pathOf(state, request))
}

/** When it was made last, Unix ms; 0 if it never was. */
export function requestedAt(state: string, request: Request): number {
  return Number(readRequest(state, request)) || 0
}

/** Until when a person is away, Unix ms; undefined if nobody is. */
export function awayUntil(state: string, now: number): number | undefined {
  const until = requestedAt(state, 'away')
  return until > now ? until : undefined
}

/** While it is, nothing is sent; events are accepted and wait. */
export function isOnHold(state: string): boolean {
  return existsSync(pathOf(state, 'hold'))
}

/**
 * Whether a delivery is due because it was kept before the flush. What a policy holds is not. A flush in the future
 * does not count, since after the clock was set back it would make the same delivery due again and again.
 */
export function isFlushed(
  { isHeld, since }: { isHeld: boolean; since: number },
  flushedAt: number,
  now: number,
): boolean {
  return !isHeld && since <= flushedAt && flushedAt <= now
}

/** Detects the requests of one kind that come after its construction. */
export class RequestWatch {
  readonly #state: string
  readonly #request: Request
  #seen: string | undefined

  constructor(state: string, request: Request) {
    this.#state = state
    this.#request = request
    this.#seen = readRequest(state, request)
  }

  hasNew(): boolean {
    const before = this.#seen
    this.#seen = readRequest(this.#state, this.#request)
    return this.#seen !== before
  }
}

function pathOf(state: string, request: Request): string {
  return join(spoolIn(state).requests, request)
}

// After an upgrade, the worker of the older version finishes what is in flight, ends, and starts the newer one.
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
