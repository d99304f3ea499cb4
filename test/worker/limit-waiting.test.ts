import { mkdirSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { acquireLock } from '../../src/spool/lock/lock.ts'
import { setOnHold } from '../../src/worker/control.ts'
import { limitWaiting } from '../../src/worker/limit-waiting.ts'
import { openWorker } from '../../src/worker/open-worker.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeWorld, readLines, type World } from './_world.ts'

const none = { maxFiles: 1e9, maxBytes: 1e12, maxDays: 1e9 }
const ask = { message: 'May I?', notification_type: 'permission_prompt' }

function makeWaiting(world: World, count: number, event: object = {}) {
  return Array.from({ length: count }, (_, index) => {
    const id = world.accept(event)
    utimesSync(join(world.spool.new, id), 1000 + index, 1000 + index)
    return id
  })
}

describe('events that wait on hold', () => {
  it('are removed beyond the limit, recorded, and not delivered later, but questions stay', async () => {
    const world = makeWorld()
    const [question = ''] = makeWaiting(world, 1, ask)
    const ids = makeWaiting(world, 510)
    const { deps } = openWorker(world)
    await limitWaiting(deps, { ...none, maxFiles: 3 })
    const left = [question, ...ids.slice(-2)].sort()
    expect(readdirSync(world.spool.new).sort()).toEqual(left)
    const removed = { type: 'dropped', reason: 'more than 3 waited' }
    const records = readLines<JournalEntry>(join(world.stateDir, 'journal.jsonl'))
    expect(records).toHaveLength(508)
    expect(records[0]).toMatchObject({ ...removed, id: ids[0] })
    expect(await world.statusOf(ids[0] ?? '')).toMatchObject({ outcome: 'suppressed' })
    deps.store.close()
    await world.once()
    expect(
      world
        .lines()
        .map(({ id }) => id.slice(0, question.length))
        .sort(),
    ).toEqual(left)
  })

  it.each(['once', 'untilIdle'] as const)('are limited by a worker: %s', async (run) => {
    const world = makeWorld()
    const ids = makeWaiting(world, 3)
    // 600 MiB, more than may wait.
    for (const id of ids) truncateSync(join(world.spool.new, id), 200 * 1024 * 1024)
    setOnHold(world.stateDir, true)
    await world[run]()
    expect(readdirSync(world.spool.new).sort()).toEqual(ids.slice(1).sort())
  })

  it('are delivered before the limit applies when the hold is over', async () => {
    const world = makeWorld()
    const ids = makeWaiting(world, 40)
    // Each event is a day older than the next one.
    for (const [index, id] of ids.entries())
      utimesSync(join(world.spool.new, id), index * 86_400, index * 86_400)
    await world.once()
    expect(world.lines()).toHaveLength(40)
  })

  it('are removed although one of them cannot be moved', async () => {
    const world = makeWorld()
    const [stuck = '', ...ids] = makeWaiting(world, 3)
    const { deps } = openWorker(world)
    const [owner = ''] = readdirSync(world.spool.cur)
    // A folder is in its way.
    mkdirSync(join(world.spool.cur, owner, stuck))
    await limitWaiting(deps, { ...none, maxFiles: 0 })
    expect(readdirSync(world.spool.new)).toEqual([stuck])
    expect(readdirSync(join(world.spool.cur, owner))).toEqual([stuck])
    const records = readLines<JournalEntry>(join(world.stateDir, 'journal.jsonl'))
    expect(records.map(({ id }) => id)).toEqual(ids)
  })

  it('are removed although the journal cannot record it, but foreign files and folders stay', async () => {
    const world = makeWorld()
    makeWaiting(world, 2)
    mkdirSync(join(world.spool.new, 'folder'))
    writeFileSync(join(world.spool.new, 'not an id'), '')
    const journal = join(world.stateDir, 'journal.jsonl')
    mkdirSync(journal)
    acquireLock(world.stateDir)
    const { deps } = openWorker(world)
    await limitWaiting(deps, { ...none, maxFiles: 0 })
    expect(readdirSync(world.spool.new).sort()).toEqual(['folder', 'not an id'])
    rmSync(journal, { recursive: true })
    await expect.poll(() => readLines(journal)).toHaveLength(3)
  })
})

describe('messages that quiet hours hold', () => {
  it('are removed beyond the limit, recorded, and not sent later', async () => {
    const { url, received } = await startReceiver()
    const configure = (quietHours: object[]) => ({
      channels: { team: { type: 'slack', url: `${url}/services/x` } },
      noise: { quietHours },
      routes: [{ on: ['*'], to: ['file', 'team'] }],
    })
    const world = makeWorld(configure([{ from: '00:00', to: '24:00', timeZone: 'UTC' }]))
    const ids: string[] = []
    for (const session of ['s1', 's2', 's3']) {
      ids.push(world.accept({ hook_event_name: 'Stop', session_id: session }))
      await world.once()
    }
    expect(world.parked()).toHaveLength(3)
    const { deps } = openWorker(world)
    // A delivery that cannot be claimed now, for example because of too many open files, keeps waiting.
    const unreadable = vi.spyOn(deps.store, 'claimDelivery').mockImplementation(() => {
      throw new Error('EMFILE')
    })
    await limitWaiting(deps, { ...none, maxFiles: 1, maxDays: 0 })
    expect(world.parked()).toHaveLength(3)
    unreadable.mockRestore()
    await limitWaiting(deps, { ...none, maxFiles: 1, maxDays: 0 })
    expect(world.parked()).toEqual([`${ids[2]}.team`])
    expect(await world.statusOf(ids[0] ?? '')).toMatchObject({
      outcome: 'delivered',
      channels: { team: { state: 'suppressed', detail: 'more than 1 waited' } },
    })
    deps.store.close()
    expect(received).toHaveLength(0)
  })
})
