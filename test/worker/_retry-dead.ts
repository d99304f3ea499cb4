import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { record } from '../../src/journal/write.ts'
import { readEventState, statePath, writeEventState } from '../../src/worker/event-state.ts'
import type { World } from './_world.ts'

/** What `hookbell dead retry` does to the spool. */
export async function retryDead({ stateDir, spool }: World, id: string) {
  await record(stateDir, { at: Date.now(), id, type: 'retried' })
  const state = readEventState(spool.dead, id)
  if (!state) return renameSync(join(spool.dead, id), join(spool.new, id))
  for (const channel of Object.values(state.channels)) {
    if (channel.state === 'gave-up') Object.assign(channel, { state: 'deferred', attempts: 0 })
  }
  writeEventState(spool, 'deferred', id, { ...state, acceptedAt: Date.now(), nextAt: 0 })
  renameSync(join(spool.dead, id), join(spool.deferred, id))
  rmSync(statePath(spool.dead, id), { force: true })
}
