import type { LoadedConfig } from '../config/load/load.ts'
import { handoverRequested } from '../spool/handover.ts'
import { HEARTBEAT_MS } from '../spool/lock/owner.ts'
import { isOnHold, RequestWatch } from '../spool/requests.ts'
import { PURGED } from './control.ts'
import type { WorkerDeps } from './deps.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import type { Opened } from './open-worker.ts'
import type { ConfigProblem } from './own-messages/config-problem.ts'
import type { WakeUp } from './wake-up.ts'
import type { RunningTurns } from './watch/running-turns.ts'

/** Delivers until nothing has come for the configured time and nothing waits, or a newer worker takes over. */
export async function serve(opened: Opened, dispatcher: Dispatcher, wakeUp: WakeUp) {
  const { deps, digest, maintenance, problem } = opened
  const { stateDir, config, open, steadyNow, waiting } = deps
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

/** Starts what no hook reports: problems of the configuration, dead channels, and failures of some clients. */
export async function startOwn(
  settings: LoadedConfig,
  problem: ConfigProblem,
  { notices, turns }: WorkerDeps,
  dispatcher: Dispatcher,
) {
  const report = await problem.check(settings, (work) => dispatcher.follow(work))
  if (report) await dispatcher.startDelivery(report)
  for (const claim of notices.takeOwn()) await dispatcher.startDelivery(claim)
  // Not awaited: a transcript may be on a disk that does not answer.
  if (turns.nextLookInMs() === 0) dispatcher.follow(startEnded(turns, dispatcher))
}

async function startEnded(turns: RunningTurns, dispatcher: Dispatcher) {
  for (const claim of await turns.takeEnded()) await dispatcher.startOwn(claim)
}

async function tidyUp({ deps, maintenance }: Opened, dispatcher: Dispatcher, isHeld: boolean) {
  // Also while everything is stalled: a destination may fail for days.
  const isStalled = dispatcher.isStalled && !deps.journal.failure
  if (!isHeld && !dispatcher.isIdle && !isStalled) return
  await maintenance.sweep()
  if (deps.journal.pending === 0) deps.memory.keepIdle()
}

/** How long to wait until there may be something to do, in ms; undefined if the worker can end. */
function nextInMs(
  { deps: { open, store, turns, waiting }, digest, problem }: Opened,
  dispatcher: Dispatcher,
  {
    isHeld,
    lingerMs,
    salvageMs,
  }: { isHeld: boolean; lingerMs: number; salvageMs?: number | undefined },
): number | undefined {
  const due = isHeld
    ? []
    : [dispatcher.nextInMs, digest.nextInMs, open.nextLookInMs(), turns.nextLookInMs()]
  const times = [problem.nextInMs, salvageMs, waiting.nextLookInMs(), ...due].filter(
    (ms) => ms !== undefined,
  )
  if (isHeld || dispatcher.isIdle) {
    if (times.length === 0 && lingerMs <= 0) return undefined
    if (lingerMs > 0) times.push(lingerMs)
  }
  if (store.isStale()) times.push(1000)
  return Math.min(...times, HEARTBEAT_MS)
}
