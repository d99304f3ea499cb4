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
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEvents } from '../../src/commands/_events.ts'
import { workerLives } from '../../src/hook/wake.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { KEPT_FILES } from '../../src/journal/files.ts'
import { packageVersion } from '../../src/package-root.ts'
import { acquireLock, lockPath, releaseLock } from '../../src/spool/lock/lock.ts'
import { Maintenance } from '../../src/worker/maintenance.ts'
import { openWorker } from '../../src/worker/open-worker.ts'
import { deliverOnce, isAskedToEnd } from '../../src/worker/run.ts'
import { makeWorld, readLines, type World } from './_world.ts'

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
