import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { appendEntry } from '../journal/write.ts'
import type { Spool } from '../spool/layout.ts'
import { readEventState, statePath, writeEventState } from './event-state.ts'

// The record comes before the move: a worker that runs delivers at once, and its record must come after this one.

/** Keeps the id, and what was delivered stays delivered: only the channels that gave up are tried again. */
export async function retryDead(spool: Spool, id: string) {
  await appendEntry(spool.state, { at: Date.now(), id, type: 'retried' })
  const state = readEventState(spool.dead, id)
  if (!state) return renameSync(join(spool.dead, id), join(spool.new, id))
  for (const channel of Object.values(state.channels)) {
    if (channel.state === 'gave-up') Object.assign(channel, { state: 'deferred', attempts: 0 })
  }
  writeEventState(spool, 'deferred', id, { ...state, acceptedAt: Date.now(), nextAt: 0 })
  renameSync(join(spool.dead, id), join(spool.deferred, id))
  rmSync(statePath(spool.dead, id), { force: true })
}

/** Removes the event and its bytes; it does not count any more. */
export async function dropDead(spool: Spool, id: string) {
  await appendEntry(spool.state, { at: Date.now(), id, type: 'dropped' })
  rmSync(join(spool.dead, id), { force: true })
  rmSync(statePath(spool.dead, id), { force: true })
}
