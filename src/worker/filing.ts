import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Claim } from '../spool/claim.ts'
import { wasClaimed } from '../spool/names.ts'
import type { Result } from './attempt.ts'
import type { WorkerContext } from './context.ts'
import { type EventState, statePath, writeEventState } from './event-state.ts'

/** Files an event by what became of its deliveries. */
export function settle(
  claim: Claim,
  state: EventState,
  results: readonly Result[],
  context: WorkerContext,
) {
  const { spool, deferred, known, now } = context
  const waiting = results.filter((result) => result.type === 'deferred')
  if (waiting.length > 0) {
    const nextAt = Math.min(...waiting.map(({ until }) => until))
    const since = now()
    writeEventState(spool, 'deferred', claim.id, { ...state, nextAt, since })
    renameSync(claim.path, join(spool.deferred, claim.id))
    const queuedIn = waiting.find((result) => result.queuedIn)?.queuedIn
    deferred.set(claim.id, { dueAt: nextAt, since, queuedIn })
    known.delete(claim.id)
    return
  }
  const isDead = Object.values(state.channels).some((channel) => channel.state === 'gave-up')
  if (isDead) writeEventState(spool, 'dead', claim.id, state)
  file(claim, isDead ? 'dead' : 'done', context)
}

/** What was delivered before stays so: a retry by a person repeats only the rest. */
export async function bury(
  claim: Claim,
  { reason, before, client }: { reason: string; before: EventState | undefined; client: string },
  context: WorkerContext,
) {
  await context.record({ at: context.now(), id: claim.id, type: 'unusable', reason, client })
  if (before && Object.keys(before.channels).length > 0) {
    const channels = structuredClone(before.channels)
    for (const channel of Object.values(channels)) {
      if (channel.state === 'deferred') channel.state = 'gave-up'
    }
    writeEventState(context.spool, 'dead', claim.id, { ...before, channels })
  }
  file(claim, 'dead', context)
}

/** The journal has it on disk by now: this rename may be lost without harm. */
export function file(claim: Claim, folder: 'done' | 'dead', { spool, known }: WorkerContext) {
  renameSync(claim.path, join(spool[folder], claim.id))
  if (dirname(claim.from) === spool.deferred || wasClaimed(basename(claim.from))) {
    rmSync(statePath(spool.deferred, claim.id), { force: true })
  }
  known.delete(claim.id)
}
