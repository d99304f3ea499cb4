import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readEvents } from '../../src/commands/_events.ts'
import { workerLives } from '../../src/hook/wake.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { KEPT_FILES } from '../../src/journal/files.ts'
import { packageVersion } from '../../src/package-root.ts'
import { acquireLock, lockPath, releaseLock } from '../../src/spool/lock/lock.ts'
import { setOnHold } from '../../src/worker/control.ts'
import { limitWaiting, Maintenance } from '../../src/worker/maintenance.ts'
import { openWorker } from '../../src/worker/open-worker.ts'
import { deliverOnce, isAskedToEnd } from '../../src/worker/run.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeWorld, readLines, type World } from './_world.ts'

const none = { maxFiles: 1e9, maxBytes: 1e12, maxDays: 1e9 }

const ask = { message: 'May I?', notification_type: 'permission_prompt' }

const MINUTE_MS = 60_000
const MIB = 1024 * 1024

/** The maintenance of a worker, with a clock that only the test moves. */
function makeMaintenance({ isSole = true } = {}) {
  const world = makeWorld()
  const { stateDir } = world
  if (isSole) acquireLock(stateDir)
  onTestFinished(() => releaseLock(stateDir))
  const clock = { now: 0 }
  const { deps } = openWorker(world)
  const maintenance = new Maintenance({ ...deps, steadyNow: () => clock.now })
  const journal = join(stateDir, 'journal.jsonl')
  return { clock, deps, journal, maintenance, stateDir, world }
}

const isFresh = (path: string) => Date.now() - statSync(path).mtimeMs < MINUTE_MS

describe('a heartbeat', () => {
  it('renews what the worker owns and takes over what is left behind, once a minute', () => {
    const { clock, deps, maintenance, stateDir, world } = makeMaintenance()
    const { spool } = world
    const own = deps.store.claimEvent(world.accept({ message: 'own' }))
    const owned = [join(own?.path ?? '', '..'), lockPath(stateDir)]
    const dead = join(spool.cur, '4194305_1_other-boot')
    const [left, cut] = ['left', 'cut'].map((message) => world.accept({ message }))
    const breakAll = () => {
      for (const path of owned) utimesSync(path, 1, 1)
      mkdirSync(dead)
      renameSync(join(spool.new, left ?? ''), join(dead, left ?? ''))
      renameSync(join(spool.new, cut ?? ''), join(spool.tmp, cut ?? ''))
      utimesSync(join(spool.tmp, cut ?? ''), 1, 1)
      rmSync(spool.corrupt, { recursive: true })
    }
    const repaired = () => [
      ...owned.map(isFresh),
      readdirSync(spool.new).some((name) => name.startsWith(`${left}~`)),
      existsSync(join(spool.new, cut ?? '')),
      existsSync(spool.corrupt),
    ]
    breakAll()
    maintenance.beat()
    expect(repaired()).toEqual(Array(5).fill(true))
    renameSync(join(spool.new, `${left}~0`), join(spool.new, left ?? ''))
    breakAll()
    clock.now += MINUTE_MS - 1
    maintenance.beat()
    expect(repaired()).toEqual(Array(5).fill(false))
    clock.now += 1
    // The lock cannot be renewed now, which does not stop the other parts.
    rmSync(lockPath(stateDir))
    maintenance.beat()
    writeFileSync(lockPath(stateDir), '')
    expect(repaired()).toEqual(Array(5).fill(true))
  })

  it.each([
    ['ends a worker that is older than its files', '0.0.1', true],
    ['does not end a worker of the same version as its files', packageVersion(), false],
    ['does not end a worker that is newer than its files, as after a downgrade', '99.0.0', false],
  ])('%s', (_, version, ends) => {
    const { deps, maintenance, stateDir } = makeMaintenance({ isSole: false })
    acquireLock(stateDir, version)
    expect(isAskedToEnd(deps)).toBe(false)
    maintenance.beat()
    expect(isAskedToEnd(deps)).toBe(ends)
  })
})

describe('an event of a killed hook', () => {
  const leaveIn = ({ spool, accept }: World, ageMs: number) => {
    const id = accept({ message: 'left' })
    const path = join(spool.tmp, id)
    renameSync(join(spool.new, id), path)
    const at = new Date(Date.now() - ageMs)
    utimesSync(path, at, at)
    return { id, path }
  }

  it('is delivered by the worker that runs, once it is old enough', async () => {
    const world = makeWorld()
    const { id } = leaveIn(world, MINUTE_MS / 2 - 1000)
    await world.untilIdle()
    expect(world.lines()).toMatchObject([{ id }])
  })

  it('does not keep a worker running if it is truncated or dated in the future', async () => {
    const world = makeWorld()
    truncateSync(leaveIn(world, 0).path, 40)
    leaveIn(world, -60 * MINUTE_MS)
    await world.untilIdle()
    expect(world.list('tmp')).toHaveLength(2)
    expect(world.lines()).toEqual([])
  })

  it('is looked for again at once when another one was found', () => {
    const { maintenance, world } = makeMaintenance()
    leaveIn(world, MINUTE_MS)
    expect(maintenance.salvage()).toBe(0)
    expect(world.list('new')).toHaveLength(1)
    expect(maintenance.salvage()).toBeUndefined()
    rmSync(world.spool.tmp, { recursive: true })
    expect(maintenance.salvage()).toBeUndefined()
  })
})

describe('the journal of a worker', () => {
  it.each([true, false])('is rotated only by the holder of the lock: %s', async (isSole) => {
    const { journal, maintenance } = makeMaintenance({ isSole })
    writeFileSync(journal, '')
    truncateSync(journal, 16 * MIB)
    await maintenance.rotate()
    expect(existsSync(journal.replace('.jsonl', '.1.jsonl'))).toBe(isSole)
  })

  it('keeps the entries of events that are open', async () => {
    const { journal, maintenance, world } = makeMaintenance()
    const id = world.accept({ message: 'waits' })
    const lines = [id, 'gone'].map((one) => JSON.stringify({ at: 1, id: one, type: 'retried' }))
    writeFileSync(journal.replace('.jsonl', `.${KEPT_FILES}.jsonl`), `${lines.join('\n')}\n`)
    writeFileSync(journal, '')
    truncateSync(journal, 4 * MIB)
    await maintenance.rotate()
    expect(readFileSync(journal.replace('.jsonl', '.open.jsonl'), 'utf8')).toBe(`${lines[0]}\n`)
  })

  it('forgets an event that never ended once its entries are gone, but none that is open', async () => {
    const { journal, maintenance, stateDir, world } = makeMaintenance()
    const id = world.accept({ message: 'waits' })
    const add = (...ids: string[]) => {
      const lines = ids.map((one) => JSON.stringify({ at: 1, id: one, type: 'retried' }))
      appendFileSync(journal, `${lines.join('\n')}\n`)
    }
    add(id, 'lost')
    for (let round = 0; round < KEPT_FILES + 3; round += 1) {
      truncateSync(journal, 4 * MIB)
      await maintenance.rotate()
      add(`round ${round}`)
    }
    const known = readEvents([stateDir]).known.map((one) => one.id)
    expect(known).toContain(id)
    expect(known).toContain('round 10')
    expect(known).not.toContain('lost')
    expect(existsSync(join(stateDir, 'checkpoint.json'))).toBe(true)
  })

  it('keeps growing while it cannot be rotated', async () => {
    const { journal, maintenance } = makeMaintenance()
    writeFileSync(journal, '')
    truncateSync(journal, 16 * MIB)
    mkdirSync(journal.replace('.jsonl', `.${KEPT_FILES}.jsonl`))
    await maintenance.rotate()
    expect(statSync(journal).size).toBe(16 * MIB)
  })
})

describe('a sweep by a worker', () => {
  it('delays no event that arrives during it, when the hook starts no worker', async () => {
    const world = makeWorld()
    for (const name of ['older', 'newer']) {
      writeFileSync(join(world.spool.dead, name), '')
      truncateSync(join(world.spool.dead, name), 40 * MIB)
    }
    const onRecord = ({ type }: JournalEntry) => {
      if (type !== 'dropped') return
      expect(workerLives(world.stateDir)).toBe(true)
      world.accept({ message: 'late' })
    }
    await deliverOnce({ ...world, onRecord })
    expect(world.lines()).toHaveLength(1)
  })

  it('is repeated after an hour, even if a folder cannot be read', async () => {
    const { clock, maintenance, world } = makeMaintenance()
    const old = join(world.spool.tmp, 'old')
    const leave = () => {
      writeFileSync(old, '')
      utimesSync(old, 1, 1)
    }
    leave()
    rmSync(world.spool.dead, { recursive: true })
    await maintenance.sweep()
    expect(existsSync(old)).toBe(false)
    leave()
    clock.now += 60 * MINUTE_MS - 1
    await maintenance.sweep()
    expect(existsSync(old)).toBe(true)
    clock.now += 1
    await maintenance.sweep()
    expect(existsSync(old)).toBe(false)
  })

  it.each([
    ['at once', true],
    ['later if the journal cannot be written', false],
  ])('records what it removes %s', async (_, canRecord) => {
    const { journal, maintenance, world } = makeMaintenance()
    if (!canRecord) mkdirSync(journal)
    for (const name of ['older', 'newer']) {
      const path = join(world.spool.dead, name)
      writeFileSync(path, '')
      truncateSync(path, 40 * MIB)
    }
    utimesSync(join(world.spool.dead, 'older'), 1, 1)
    await maintenance.sweep()
    expect(readdirSync(world.spool.dead)).toEqual(['newer'])
    if (!canRecord) rmSync(journal, { recursive: true })
    const entries = () => readLines<JournalEntry>(journal)
    const removed = { id: 'older', type: 'dropped', reason: 'more than 64 MiB were kept' }
    await expect.poll(entries).toMatchObject([removed])
  })
})

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
