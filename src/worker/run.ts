import { setFlagsFromString } from 'node:v8'
import { CurrentConfig } from '../config/current.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Templates } from '../render/templates.ts'
import { Claims } from '../spool/claim.ts'
import { acquireLock, releaseLock } from '../spool/lock.ts'
import { HEARTBEAT_MS } from '../spool/owner.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { ConfigProblem } from './config-problem.ts'
import type { WorkerContext } from './context.ts'
import { DeferredEvents } from './deferred.ts'
import { Doubles } from './doubles.ts'
import { Bell } from './folder-watcher.ts'
import { Recorder } from './recorder.ts'
import { Rounds } from './rounds.ts'
import { Turns } from './turns.ts'
import { Upkeep } from './upkeep.ts'

export interface WorkerOptions {
  stateDir: string
  configDir: string
  /** Read already. */
  config?: CurrentConfig
  /** Called with every record that goes to the journal. */
  onRecord?: ((entry: JournalEntry) => void) | undefined
}

export interface WorkerSummary {
  handled: number
  faults: readonly string[]
}

/** Delivers all that is due now and returns. Works beside a worker that runs: a claim is a rename. */
export async function deliverOnce(options: WorkerOptions): Promise<WorkerSummary> {
  const { context, upkeep, problem } = open(options)
  const rounds = new Rounds(context)
  if (acquireLock(options.stateDir)) {
    await upkeep.rotate()
    upkeep.sweep()
    releaseLock(options.stateDir)
  }
  upkeep.beat()
  for (;;) {
    problem.tell(context.config.get())
    await rounds.round()
    await rounds.settled()
    // What was due and only had to stand in line is waited for; what failed is not.
    const queuedMs = context.deferred.nextIn(context.now(), true)
    if (queuedMs !== undefined) await new Promise((resolve) => setTimeout(resolve, queuedMs))
    else if (!rounds.hasWaiting) break
  }
  context.claims.close()
  return { handled: rounds.handled, faults: rounds.faults }
}

/**
 * Delivers until nothing has come for the configured time and nothing is deferred.
 * @returns undefined when another worker runs
 */
export async function runUntilIdle(options: WorkerOptions): Promise<WorkerSummary | undefined> {
  prepareSpool(options.stateDir)
  if (!acquireLock(options.stateDir)) return undefined
  try {
    return await run(options)
  } catch (error) {
    releaseLock(options.stateDir)
    throw error
  }
}

/** For a process that is told to end: what it had under way goes back, and does not count as a crash. */
export function standDown({ stateDir }: Pick<WorkerOptions, 'stateDir'>) {
  new Claims(prepareSpool(stateDir)).standDown()
  releaseLock(stateDir)
}

async function run(options: WorkerOptions): Promise<WorkerSummary> {
  const opened = open(options)
  const rounds = new Rounds(opened.context, () => bell.ring())
  const { spool, claims } = opened.context
  const bell = new Bell([spool.new, spool.deferred])
  // Release first, then look again: an event that came in between saw a worker that was about to end.
  do {
    await serve(opened, rounds, bell)
    releaseLock(options.stateDir)
  } while (hasWork(opened, rounds) && acquireLock(options.stateDir))
  bell.close()
  claims.close()
  return { handled: rounds.handled, faults: rounds.faults }
}

type Opened = ReturnType<typeof open>

async function serve({ context, upkeep, problem }: Opened, rounds: Rounds, bell: Bell) {
  let lastWork = performance.now()
  let settings = context.config.get()
  for (;;) {
    if (settings !== context.config.get()) tryAnew(context)
    settings = context.config.get()
    problem.tell(settings)
    upkeep.beat()
    if ((await rounds.round()) > 0 || !rounds.idle) lastWork = performance.now()
    const lingerMs = context.config.get().config.lingerSeconds * 1000
    const leftMs = lingerMs - (performance.now() - lastWork)
    const next = [context.deferred.nextIn(context.now()), rounds.restMs].filter(
      (ms) => ms !== undefined,
    )
    await upkeep.rotate()
    if (rounds.idle) {
      upkeep.sweep()
      if (next.length === 0 && leftMs <= 0) break
      if (leftMs > 0) next.push(leftMs)
    }
    if (context.deferred.isStale) next.push(1000)
    await bell.wait(Math.min(...next, HEARTBEAT_MS))
  }
}

/** Somebody mended an address or a secret: what waits for its next try need not wait any longer. */
function tryAnew({ deferred, lanes }: WorkerContext) {
  deferred.makeAllDue()
  lanes.clear()
}

/** New events, those of a worker that died, or deferred ones that somebody put there. */
function hasWork({ context }: Opened, rounds: Rounds): boolean {
  context.claims.takeOver()
  context.deferred.refresh(true)
  return rounds.hasWaiting || context.deferred.nextIn(context.now()) !== undefined
}

/** Everything that a worker needs. */
function open({ stateDir, configDir, onRecord, ...options }: WorkerOptions) {
  // A worker waits most of its life: it must not keep the memory of one busy moment (130 MiB without, 100 with).
  setFlagsFromString('--semi-space-growth-factor=1')
  const spool = prepareSpool(stateDir)
  const config = options.config ?? new CurrentConfig(configDir, stateDir)
  const recorder = new Recorder(stateDir, config, onRecord)
  const context: WorkerContext = {
    spool,
    config,
    claims: new Claims(spool),
    templates: new Templates(configDir),
    deferred: new DeferredEvents(spool.deferred),
    lanes: new Map(),
    turns: new Turns(),
    doubles: new Doubles(stateDir),
    projects: new Map(),
    known: new Map(),
    leftAlone: new Set(),
    record: (entry) => recorder.record(entry),
    flushRecords: () => recorder.flush(),
    fetch: globalThis.fetch,
    now: Date.now,
    laneClock: () => performance.now(),
    random: Math.random,
  }
  return { context, upkeep: new Upkeep(context), problem: new ConfigProblem(stateDir) }
}
