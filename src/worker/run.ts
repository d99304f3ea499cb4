import { readdirSync } from 'node:fs'
import { CurrentConfig } from '../config/current.ts'
import type { Record } from '../journal/record.ts'
import { record, rotateJournal } from '../journal/write.ts'
import { Templates } from '../render/templates.ts'
import { Claims } from '../spool/claim.ts'
import type { Spool } from '../spool/layout.ts'
import { acquireLock, releaseLock } from '../spool/lock.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { sweep } from '../spool/sweep.ts'
import { Bell } from './bell.ts'
import { tellConfigProblem } from './config-problem.ts'
import type { WorkerContext } from './context.ts'
import { DeferredEvents } from './deferred.ts'
import { stateFromJournal } from './event-state.ts'
import { Rounds } from './rounds.ts'

export interface WorkerOptions {
  stateDir: string
  configDir: string
  /** Called with every record that goes to the journal. */
  onRecord?: (entry: Record) => void
}

export interface WorkerSummary {
  handled: number
  faults: readonly string[]
}

/** Delivers all that is due now and returns. Works beside a worker that runs: a claim is a rename. */
export async function deliverOnce(options: WorkerOptions): Promise<WorkerSummary> {
  const context = await prepare(options)
  const rounds = new Rounds(context)
  do {
    await rounds.round()
    await rounds.settled()
  } while (hasWaiting(context) && rounds.faults.length === 0)
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
  const total = { handled: 0, faults: [] as string[] }
  // Release first, then look again: an event that came in between saw a worker that was about to end.
  do {
    const { handled, faults, context } = await serve(options)
    total.handled += handled
    total.faults.push(...faults)
    releaseLock(options.stateDir)
    if (faults.length > 0 || !hasWaiting(context)) return total
  } while (acquireLock(options.stateDir))
  return total
}

async function serve(options: WorkerOptions) {
  const context = await prepare(options)
  const bell = new Bell([context.spool.new, context.spool.deferred])
  const rounds = new Rounds(context, () => bell.ring())
  let lastWork = performance.now()
  for (;;) {
    if ((await rounds.round()) > 0 || !rounds.idle) lastWork = performance.now()
    const lingerMs = context.config.get().config.lingerSeconds * 1000
    const leftMs = lingerMs - (performance.now() - lastWork)
    const nextDue = context.deferred.next()
    if (rounds.idle && nextDue === undefined && leftMs <= 0) break
    const dueMs = nextDue === undefined ? Number.POSITIVE_INFINITY : nextDue - context.now()
    await bell.wait(rounds.idle ? Math.min(dueMs, leftMs > 0 ? leftMs : dueMs) : dueMs)
  }
  bell.close()
  context.claims.close()
  return { handled: rounds.handled, faults: rounds.faults, context }
}

function hasWaiting({ spool, leftAlone }: WorkerContext): boolean {
  return readdirSync(spool.new).some((name) => !leftAlone.has(name))
}

/** Opens everything a worker needs, and clears up after those before it. */
async function prepare({ stateDir, configDir, onRecord }: WorkerOptions): Promise<WorkerContext> {
  const spool: Spool = prepareSpool(stateDir)
  const config = new CurrentConfig(configDir, stateDir)
  const claims = new Claims(spool)
  rotateJournal(stateDir)
  const abandoned = claims.takeOver()
  sweep(spool, config.get().config.retentionDays * 24 * 3600_000, Date.now())
  tellConfigProblem(config.get(), stateDir)
  return {
    spool,
    claims,
    config,
    templates: new Templates(configDir),
    deferred: new DeferredEvents(spool.deferred),
    lanes: new Map(),
    projects: new Map(),
    recovered: abandoned.length > 0 ? await stateFromJournal(stateDir, abandoned) : new Map(),
    leftAlone: new Set(),
    record: async (entry) => {
      await record(stateDir, entry)
      onRecord?.(entry)
    },
    fetch: globalThis.fetch,
    now: Date.now,
    random: Math.random,
  }
}
