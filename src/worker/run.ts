import { setTimeout as sleep } from 'node:timers/promises'
import { knownIn } from '../board/board.ts'
import { keepAsking } from '../board/line.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { keepsOrder } from '../deliver/audience.ts'
import { waitAtMost } from '../patience.ts'
import type { Claim } from '../spool/claim.ts'
import { acquireLock, isSoleWorker, releaseLock } from '../spool/lock/lock.ts'
import { HEARTBEAT_MS } from '../spool/lock/owner.ts'
import {
  handoverRequested,
  isOnHold,
  RequestWatch,
  requestHandoverIfOlder,
} from '../spool/requests.ts'
import { Store } from '../spool/store.ts'
import { PURGED } from './control.ts'
import type { WorkerDeps } from './deps.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { type Opened, openWorker, type WorkerOptions } from './open-worker.ts'
import type { ConfigProblem } from './own-messages/config-problem.ts'
import type { OwnEvent } from './own-messages/notices.ts'
import { WakeUp } from './wake-up.ts'

/** How long the next worker waits for this one: a receiver that hangs must not keep questions back. */
const GIVE_BACK_MS = 5000

interface WorkerSummary {
  handled: number
  faults: readonly string[]
}

/** Delivers everything that is due now and returns. Safe beside a running worker, since a claim is a rename. */
export async function deliverOnce(options: WorkerOptions): Promise<WorkerSummary> {
  const { deps, digest, maintenance, problem } = openWorker(options)
  const dispatcher = new Dispatcher(deps)
  const releaseAll = () => deps.deliverer.releaseAll()
  deps.ending?.addEventListener('abort', releaseAll)
  const isHeld = isOnHold(options.stateDir)
  await ifSole(options, async () => {
    await maintenance.rotate()
    if (!isHeld) await digest.check(0)
  })
  maintenance.beat()
  if (!isHeld) await deliverAll(deps, dispatcher, problem)
  // Afterwards, because it removes what has waited for too long.
  await ifSole(options, () => maintenance.sweep())
  // A hook that accepted an event meanwhile saw a running worker, and started none.
  if (!isHeld && dispatcher.hasWaiting) await deliverAll(deps, dispatcher, problem)
  await noteAsking(deps)
  await close(deps, dispatcher)
  // `drain` does this four times a second, with the same signal.
  deps.ending?.removeEventListener('abort', releaseAll)
  return { handled: dispatcher.handled, faults: dispatcher.faults.texts }
}

async function ifSole({ stateDir }: WorkerOptions, work: () => Promise<void>) {
  // `drain` holds the lock all the time.
  if (isSoleWorker(stateDir)) return await work()
  if (!acquireLock(stateDir)) return
  await work()
  releaseLock(stateDir)
}

async function deliverAll(deps: WorkerDeps, dispatcher: Dispatcher, problem: ConfigProblem) {
  deps.store.reviewQuiet(deps.config.changedAt())
  await deps.config.fetchSecrets()
  deps.deliverer.block(deps.store.asked(deps.config.changedAt()))
  await deps.open.look((work) => dispatcher.follow(work))
  let claimed = 0
  do {
    claimed = await dispatcher.dispatch()
    await startOwn(deps.config.get(), problem, deps, dispatcher)
    // Waits for queued deliveries, but not for those whose destination failed.
    await dispatcher.comeToRest({ startsDue: true })
  } while (hasMore(claimed, deps, dispatcher) || (await hasNewProblem(problem)))
}

function hasMore(
  claimed: number,
  { journal, notices, store }: WorkerDeps,
  dispatcher: Dispatcher,
): boolean {
  if (notices.hasOwn) return true
  return claimed > 0 && !journal.failure && (dispatcher.hasWaiting || store.hasReviews())
}

/** Waits until a problem that may only be a file being saved can be reported. */
async function hasNewProblem({ nextInMs }: ConfigProblem): Promise<boolean> {
  if (nextInMs === undefined) return false
  await sleep(nextInMs)
  return true
}

/** Sends one message of hookbell's own to one channel, and nothing else. @returns its id and unexpected faults */
export async function deliverTo(
  channel: string,
  event: OwnEvent,
  options: WorkerOptions,
): Promise<{ id: string; faults: readonly string[] }> {
  const { deps } = openWorker(options)
  const dispatcher = new Dispatcher(deps)
  await deps.config.fetchSecrets()
  const claim = deps.notices.put(await deps.notices.make(event, channel))
  await dispatcher.startDelivery(claim)
  await dispatcher.comeToRest()
  await close(deps, dispatcher)
  return { id: claim.event, faults: dispatcher.faults.texts }
}

/**
 * Delivers until nothing has come for the configured time and nothing waits.
 * @returns undefined when another worker runs
 */
export async function runUntilIdle(options: WorkerOptions): Promise<WorkerSummary | undefined> {
  const opened = openWorker(options)
  if (!acquireLock(options.stateDir)) {
    requestHandoverIfOlder(options.stateDir)
    opened.deps.store.close()
    return undefined
  }
  try {
    return await run(opened)
  } catch (error) {
    releaseLock(options.stateDir)
    throw error
  }
}

/** For a process that must end: releases its claims, without counting that as a crash, and its lock. */
export function releaseAll({ stateDir }: Pick<WorkerOptions, 'stateDir'>) {
  new Store({ stateDir }).releaseAll()
  releaseLock(stateDir)
}

async function run(opened: Opened): Promise<WorkerSummary> {
  const { deps } = opened
  const { store, stateDir } = deps
  const wakeUp = new WakeUp()
  deps.wake.notify = () => wakeUp.notify()
  const dispatcher = new Dispatcher(deps, () => wakeUp.notify())
  const watcher = store.watch(() => wakeUp.notify())
  deps.ending?.addEventListener('abort', () => {
    deps.deliverer.releaseAll()
    wakeUp.notify()
  })
  // Quiet hours may have changed while no worker ran.
  store.reviewQuiet(deps.config.changedAt())
  // On channels that keep the order, earlier failed deliveries go first: a later message must not overtake them.
  const isMeant = (channel: string) => keepsOrder(channel, deps.config.get().config)
  store.makeDue(deps.config.changedAt(), isMeant)
  // Release first, then look again: a hook that accepted an event in between still saw a running worker.
  do {
    await serve(opened, dispatcher, wakeUp)
    // Only one process may listen: the next worker begins once the lock is free.
    await deps.listeners.close()
    if (isAskedToEnd(deps)) await giveBack(deps, dispatcher)
    releaseLock(stateDir)
  } while (hasWork(deps, dispatcher) && acquireLock(stateDir))
  watcher.close()
  await close(deps, dispatcher)
  return { handled: dispatcher.handled, faults: dispatcher.faults.texts }
}

/**
 * Releases what has not begun before it releases the lock: the next worker would send later messages of a session
 * first.
 */
async function giveBack({ deliverer }: WorkerDeps, dispatcher: Dispatcher) {
  deliverer.releaseAll()
  await waitAtMost(GIVE_BACK_MS, dispatcher.comeToRest())
}

/** Whether there are new events, messages of hookbell's own, events of a dead worker, or cards. */
function hasWork(deps: WorkerDeps, dispatcher: Dispatcher): boolean {
  const { notices, stateDir, store } = deps
  if (isAskedToEnd(deps) || isOnHold(stateDir)) return false
  store.reclaimAbandoned()
  return notices.hasOwn || dispatcher.hasWaiting || store.nextDueInMs() !== undefined
}

/** Releases what has not begun, and waits for what has, but not if only its record cannot be written. */
async function close(
  { answers, deliverer, journal, memory, notices, store }: WorkerDeps,
  dispatcher: Dispatcher,
) {
  deliverer.releaseAll()
  await dispatcher.comeToRest()
  // Notices about deliveries that have failed meanwhile.
  for (const claim of notices.takeOwn()) await store.releaseDelivery(claim)
  await answers.close()
  // Some entries are not waited for where they are made.
  await journal.written()
  if (journal.failure) {
    dispatcher.faults.note('the journal', journal.failure)
    store.releaseAll()
  } else memory.keep()
  store.close()
}

/** Delivers until nothing has come for the configured time and nothing waits, or a newer worker takes over. */
async function serve(opened: Opened, dispatcher: Dispatcher, wakeUp: WakeUp) {
  const { deps, digest, maintenance, problem } = opened
  const { forms, listeners, stateDir, config, open, steadyNow, waiting } = deps
  const purged = new RequestWatch(stateDir, 'purge')
  let lastWork = steadyNow()
  let settings = config.get()
  while (!isAskedToEnd(deps)) {
    settings = renewSettings(settings, deps, wakeUp)
    maintenance.beat()
    const isHeld = followRequests(deps, purged)
    let claimed = 0
    if (!isHeld) {
      await digest.check(dispatcher.handled)
      claimed = await dispatcher.dispatch(() => handoverRequested(stateDir))
    }
    await startOwn(settings, problem, deps, dispatcher)
    if (!isHeld && (claimed > 0 || !dispatcher.isIdle)) lastWork = steadyNow()
    await maintenance.rotate()
    if (!isHeld) await open.look((work) => dispatcher.follow(work))
    for (const ref of await waiting.look()) dispatcher.follow(open.review(ref))
    await forms.expire((work) => dispatcher.follow(work))
    listeners.set(forms.wanted())
    await tidyUp(opened, dispatcher, isHeld)
    const lingerMs = settings.config.lingerSeconds * 1000 - (steadyNow() - lastWork)
    const salvageMs = isHeld || dispatcher.isIdle ? maintenance.salvage() : undefined
    const nextMs = nextInMs(opened, dispatcher, { isHeld, lingerMs, salvageMs })
    if (nextMs === undefined) return
    await wakeUp.wait(nextMs)
  }
}

/** Whether the process has to end, or a newer worker takes over. */
export function isAskedToEnd({ ending, stateDir }: WorkerDeps): boolean {
  return ending?.aborted === true || handoverRequested(stateDir)
}

/** Reads the configuration again, and retries what failed if it has changed. */
function renewSettings(before: LoadedConfig, deps: WorkerDeps, wakeUp: WakeUp): LoadedConfig {
  const { config, deliverer, store } = deps
  const settings = config.get()
  // Not awaited: a password manager may ask a person, and other channels do not need its secrets.
  void config.fetchSecrets(settings).then(
    (isNew) => isNew && wakeUp.notify(),
    () => {},
  )
  if (settings !== before) {
    // Somebody may have fixed a URL or a secret, so deferred deliveries are retried now.
    store.makeDue(config.changedAt())
    store.reviewQuiet()
    deliverer.reset()
    // If only a secret has arrived, the waits that destinations asked for still count.
    deliverer.block(store.asked(config.changedAt()))
  }
  return settings
}

/** Follows what a person asked for with `hold`, `flush` and `purge`. @returns whether deliveries are on hold */
function followRequests({ deliverer, stateDir, store }: WorkerDeps, purged: RequestWatch): boolean {
  const isHeld = isOnHold(stateDir)
  deliverer.setPaused(isHeld)
  if (store.takeFlush()) deliverer.reset()
  if (purged.hasNew()) deliverer.dropAll(PURGED)
  return isHeld
}

/** Starts what no hook reports: problems of the configuration, dead channels, failures of some clients, and what stands still. */
async function startOwn(
  settings: LoadedConfig,
  problem: ConfigProblem,
  { notices, still, turns }: WorkerDeps,
  dispatcher: Dispatcher,
) {
  const report = await problem.check(settings, (work) => dispatcher.follow(work))
  if (report) await dispatcher.startDelivery(report)
  for (const claim of notices.takeOwn()) await dispatcher.startDelivery(claim)
  // Not awaited: a transcript may be on a disk that does not answer.
  if (turns.nextLookInMs() === 0) dispatcher.follow(startAll(turns.takeEnded(), dispatcher))
  if (still.nextLookInMs() === 0) dispatcher.follow(startAll(still.takeStill(), dispatcher))
}

async function startAll(claims: Promise<Claim[]>, dispatcher: Dispatcher) {
  for (const claim of await claims) await dispatcher.startOwn(claim)
}

async function tidyUp({ deps, maintenance }: Opened, dispatcher: Dispatcher, isHeld: boolean) {
  // Also while everything is stalled: a destination may fail for days.
  const isStalled = dispatcher.isStalled && !deps.journal.failure
  if (!isHeld && !dispatcher.isIdle && !isStalled) return
  await maintenance.sweep()
  await noteAsking(deps)
  if (deps.journal.pending === 0) deps.memory.keepIdle()
}

/** For status lines, which start no program of ours to know. */
async function noteAsking({ memory, now, stateDir }: WorkerDeps) {
  const { sessions } = await memory.get()
  keepAsking(stateDir, await knownIn(sessions, now(), (state) => state === 'asks'))
}

/** How long to wait until there may be something to do, in ms; undefined if the worker can end. */
function nextInMs(
  { deps: { forms, open, still, store, turns, waiting }, digest, problem }: Opened,
  dispatcher: Dispatcher,
  {
    isHeld,
    lingerMs,
    salvageMs,
  }: { isHeld: boolean; lingerMs: number; salvageMs?: number | undefined },
): number | undefined {
  const due = isHeld
    ? []
    : [
        dispatcher.nextInMs,
        digest.nextInMs,
        open.nextLookInMs(),
        turns.nextLookInMs(),
        still.nextLookInMs(),
      ]
  const times = [
    problem.nextInMs,
    salvageMs,
    waiting.nextLookInMs(),
    forms.nextLookInMs(),
    ...due,
  ].filter((ms) => ms !== undefined)
  if (isHeld || dispatcher.isIdle) {
    if (times.length === 0 && lingerMs <= 0) return undefined
    if (lingerMs > 0) times.push(lingerMs)
  }
  if (store.isStale()) times.push(1000)
  return Math.min(...times, HEARTBEAT_MS)
}
