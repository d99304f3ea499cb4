import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { acquireLock, releaseLock } from '../spool/lock/lock.ts'
import { isOnHold, requestHandover } from '../spool/requests.ts'
import { counted } from '../text/counted.ts'
import { parseDuration } from '../text/duration.ts'
import { flush } from '../worker/control.ts'
import type { WorkerOptions } from '../worker/open-worker.ts'
import { deliverOnce } from '../worker/run.ts'
import { readEvents, stateFolders } from './_events.ts'
import { becomeWorker, releaseClaims, wakeWorkerOf } from './_worker.ts'

const AGAIN_MS = 250
const LOOK_MS = 50

export const drainCommand = defineCommand({
  args: {
    timeout: {
      type: 'string',
      default: '5s',
      description: 'Time limit, such as 5s or 1m',
      valueHint: 'TIME',
    },
    json: { type: 'boolean', description: 'Print JSON: left (events)' },
  },
  async run({ args }) {
    const limitMs = parseDuration(args.timeout)
    if (limitMs === undefined)
      throw usageError(`drain: "${args.timeout}" is not a duration`, 'Such as 5s')
    const replaced = new Set<string>()
    const left = await drain(limitMs, replaced, becomeWorker(1))
    if (args.json) printJson({ left })
    else say(left === 0 ? 'Nothing is left' : whatIsLeft(left))
    // An attempt that hangs must not outlive the timeout.
    if (left > 0) releaseClaims()
    // The machine may stay up: neither the remaining events nor the withdrawal of a question may wait for its next event.
    for (const stateDir of replaced) wakeWorkerOf(stateDir)
    return left === 0 ? 0 : process.exit(1)
  },
})

function whatIsLeft(count: number): string {
  const onHold = stateFolders().some(isOnHold) ? ' (all is on hold: hookbell resume)' : ''
  return asTyped(`${counted(count, 'event is', 'events are')} left${onHold}; see: hookbell log`)
}

/**
 * Delivers until nothing waits or the time is over.
 * @param replaced receives the folders in which a worker ran
 * @returns how many events are not settled then
 */
async function drain(
  limitMs: number,
  replaced: Set<string>,
  worker: Omit<WorkerOptions, 'stateDir'>,
): Promise<number> {
  const over = new AbortController()
  const deadline = sleep(limitMs, undefined, { signal: over.signal }).then(
    () => true,
    () => true,
  )
  for (;;) {
    const folders = stateFolders()
    const asked = folders.map(async (stateDir) => {
      if (await replaceWorker(stateDir, limitMs / 4)) replaced.add(stateDir)
    })
    await Promise.all(asked)
    for (const stateDir of folders) flush(stateDir)
    const once = folders.map((stateDir) => deliverOnce({ ...worker, stateDir }))
    const isLate = await Promise.race([Promise.all(once).then(() => false), deadline])
    // Before the count: a hook that accepted an event meanwhile saw the lock and started no worker.
    for (const stateDir of folders) releaseLock(stateDir)
    const left = countLeft()
    if (left === 0) over.abort()
    if (isLate || left === 0 || worker.ending?.aborted) return left
    // The rest is claimed by another worker, or its destination failed. Both may change soon.
    if (await Promise.race([sleep(AGAIN_MS).then(() => false), deadline])) return countLeft()
  }
}

/**
 * Takes the lock from a running worker, because two of them would send the events of one session out of order.
 * @returns whether a worker was asked to end
 */
async function replaceWorker(stateDir: string, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs
  let isAsked = false
  while (!acquireLock(stateDir) && performance.now() < until) {
    isAsked = requestHandover(stateDir) || isAsked
    await sleep(LOOK_MS)
  }
  return isAsked
}

function countLeft(): number {
  return readEvents(stateFolders()).count.waiting
}
