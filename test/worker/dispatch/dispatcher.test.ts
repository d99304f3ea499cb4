import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appendEntry } from '../../../src/journal/journal.ts'
import { putRequest } from '../../../src/spool/requests.ts'
import { PURGED, purge } from '../../../src/worker/control.ts'
import type { WorkerDeps } from '../../../src/worker/deps.ts'
import { Dispatcher } from '../../../src/worker/dispatch/dispatcher.ts'
import { SessionQueue } from '../../../src/worker/dispatch/session-queue.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { makeDelivery } from '../../support/delivery.ts'
import { damageParked, park, setCrashes } from '../../support/parked.ts'
import { startReceiver } from '../../support/receiver.ts'
import { makeWorld, type World } from '../_world.ts'

/** A dispatcher whose pauses follow a clock that the test sets. */
function openDispatcher(world: World, more: Partial<WorkerDeps> = {}) {
  const { deps } = openWorker(world)
  onTestFinished(() => deps.store.close())
  const clock = { now: 0 }
  const dispatcher = new Dispatcher({ ...deps, ...more, steadyNow: () => clock.now })
  const dispatch = async () => {
    const claimed = await dispatcher.dispatch()
    await dispatcher.comeToRest()
    return claimed
  }
  return { dispatcher, dispatch, clock }
}

/** Puts a file in the place of a folder, so that nothing can be moved there. */
function block(folder: string) {
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
}

/** An event that was delivered to the channel `file` only, and whose worker has ended. */
async function leaveBegun({ spool, stateDir }: World, id: string) {
  const at = Date.now()
  const about = { event: 'Notification', kind: 'waiting', client: 'claude', title: 'x' }
  const accepted = { ...about, acceptedAt: at, sessionId: '', project: '', to: ['file', 'team'] }
  await appendEntry(stateDir, { at, id, type: 'accepted', ...accepted })
  const sent = { channel: 'file', attempt: 1, ms: 1, answer: 'ok' }
  await appendEntry(stateDir, { at, id, type: 'delivered', ...sent })
  renameSync(join(spool.new, id), join(spool.new, `${id}~0`))
}

describe('an event that cannot be removed after its delivery', () => {
  it.each([
    ['is new', async () => {}, 1],
    ['was begun by an earlier worker', leaveBegun, 0],
  ])('is not delivered again when it %s', async (_, prepare, lines) => {
    const world = makeWorld()
    // Unlinking a folder fails.
    const replaceByFolder = () => {
      const [owner = ''] = readdirSync(world.spool.cur)
      const [name = ''] = readdirSync(join(world.spool.cur, owner))
      const path = join(world.spool.cur, owner, name)
      rmSync(path)
      mkdirSync(path)
      return { status: 200 }
    }
    const { url, received } = await startReceiver({ script: [replaceByFolder, 200] })
    const file = { type: 'file', path: world.outFile }
    const channels = { file, team: { type: 'slack', url: `${url}/services/x` } }
    world.configure({ channels, routes: [{ on: ['*'], to: ['file', 'team'] }] })
    const id = world.accept({ message: 'hello' })
    const bytes = readFileSync(join(world.spool.new, id))
    await prepare(world, id)
    const { dispatcher, dispatch, clock } = openDispatcher(world)
    expect(await dispatch()).toBe(1)
    expect(dispatcher.faults.texts).toHaveLength(1)
    expect(await dispatch()).toBe(0)
    const [name = ''] = readdirSync(world.spool.new)
    rmSync(join(world.spool.new, name), { recursive: true })
    writeFileSync(join(world.spool.new, name), bytes)
    clock.now = 1000
    expect(await dispatch()).toBe(1)
    expect([received.length, world.lines().length]).toEqual([1, lines])
    expect(world.list('new')).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })
})

describe('a long queue', () => {
  it('is left to another worker that takes over while this one is claiming it', async () => {
    const world = makeWorld()
    for (let index = 0; index < 100; index += 1) world.accept({})
    const { dispatcher } = openDispatcher(world)
    const checks = [false, true]
    expect(await dispatcher.dispatch(() => checks.shift() ?? true)).toBe(64)
    await dispatcher.comeToRest()
    expect(world.list('new')).toHaveLength(36)
  })
})

describe('an event that can be neither prepared nor given back', () => {
  it('is delivered by the same worker as soon as the disk works again', async () => {
    const world = makeWorld()
    const id = world.accept({ message: 'hello' })
    class AwayAtFirst extends SessionQueue {
      override async runInOrder<Result>(session: string, work: () => Promise<Result>) {
        if (clock.now > 0) return await super.runInOrder(session, work)
        block(world.spool.new)
        throw new Error('EIO: i/o error, read')
      }
    }
    const { dispatcher, dispatch, clock } = openDispatcher(world, { sessions: new AwayAtFirst() })
    for (const pauseMs of [1000, 2000]) {
      await dispatch()
      expect(dispatcher.nextInMs).toBe(pauseMs)
      clock.now += pauseMs
    }
    rmSync(world.spool.new)
    mkdirSync(world.spool.new)
    await dispatch()
    expect(world.lines()).toMatchObject([{ id }])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
    expect(dispatcher.nextInMs).toBeUndefined()
  })
})

describe('a delivery whose card could not be given back', () => {
  it('is not started again while its next attempt is under way', async () => {
    const world = makeWorld()
    const { cards } = world.spool
    const replaceFolder = () => {
      renameSync(cards, `${cards}.gone`)
      writeFileSync(cards, '')
      return { status: 500 }
    }
    const { url, received } = await startReceiver({ script: [replaceFolder, 'blackhole'] })
    world.configure({ channels: { web: { type: 'slack', url: `${url}/services/x` } } })
    const { deps } = openWorker(world)
    onTestFinished(() => deps.store.close())
    const clock = { now: 0 }
    const delivery = { ...makeDelivery('e1'), channel: 'web' }
    await deps.store.keep({ state: 'deferred', reason: 'x', delivery })
    const dispatcher = new Dispatcher({ ...deps, steadyNow: () => clock.now })
    await dispatcher.dispatch()
    await dispatcher.comeToRest()
    rmSync(cards)
    renameSync(`${cards}.gone`, cards)
    deps.store.makeDue(0)
    // Its pause ends while others are started.
    const { store } = deps
    const waiting = store.waiting.bind(store)
    store.waiting = (wanted) => {
      clock.now = 1000
      return waiting(wanted)
    }
    await dispatcher.dispatch()
    await expect.poll(() => received).toHaveLength(2)
    expect([await dispatcher.dispatch(), world.parked()]).toEqual([0, []])
  })
})

describe('a purge', () => {
  it('drops an event that is being prepared, with its later steps', async () => {
    const steps = [{ to: ['file'] }, { after: '1h', to: ['later'] }]
    const later = { type: 'file', path: '/dev/null' }
    const world = makeWorld({ channels: { later }, routes: [{ on: ['*'], steps }] })
    const id = world.accept({ message: 'never mind' })
    let goOn = () => {}
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const { dispatch } = openDispatcher(world, { projectOf: () => mayGoOn.then(() => '') })
    const claimed = dispatch()
    await expect.poll(() => world.list('new')).toEqual([])
    await purge(world.stateDir)
    goOn()
    await claimed
    expect([world.lines(), world.parked()]).toEqual([[], []])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed', reason: PURGED })
  })

  it('drops what was kept before it, wherever its card was then', async () => {
    const world = makeWorld()
    const why = { reason: 'x', isHeld: false }
    for (const [event, since] of [
      ['before', Date.now() - 1000],
      ['after', Date.now() + 1000],
    ] as const)
      park(world.spool, { ...why, since, delivery: makeDelivery(event) })
    putRequest(world.stateDir, 'purge')
    const { dispatch } = openDispatcher(world)
    await dispatch()
    expect(world.lines().map(({ id }) => id)).toEqual(['after'])
    expect(world.parked()).toEqual([])
  })

  it('in the future drops nothing, since the clock was set back', async () => {
    const world = makeWorld()
    const id = world.accept({ message: 'told' })
    putRequest(world.stateDir, 'purge', `${Date.now() + 3600_000}`)
    const { dispatch } = openDispatcher(world)
    await dispatch()
    expect(world.lines().map((line) => line.id)).toEqual([id])
  })
})

describe('events that take long to prepare', () => {
  it.each([
    ['many at a time', 70, 1, 1, 64],
    ['few at a time if they are large', 10, 1_000_000, 1, 2],
    ['one at a time if they are as large as an event may be', 3, 2_500_000, 1, 1],
    ['few at a time if a long queue of them goes to many channels', 130, 1, 5, 25],
    ['many at a time if a short queue of them does', 70, 1, 5, 64],
  ])('are prepared %s', async (_, count, size, channels, atOnce) => {
    const other = { type: 'file', path: '/dev/null' }
    const others = Array.from({ length: channels - 1 }, (_, index) => [`other${index}`, other])
    const world = makeWorld({ channels: Object.fromEntries(others) })
    for (let index = 0; index < count; index += 1) {
      world.accept({ session_id: `${index}`, message: 'x'.repeat(size) })
    }
    let goOn = () => {}
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const projectOf = () => mayGoOn.then(() => '')
    const { dispatch } = openDispatcher(world, { projectOf })
    const claimed = dispatch()
    await expect.poll(() => world.list('new').length).toBe(count - atOnce)
    await nextTurn()
    expect(world.list('new')).toHaveLength(count - atOnce)
    goOn()
    expect(await claimed).toBe(count)
    expect(new Set(world.lines().map(({ sessionId }) => sessionId)).size).toBe(count)
  })
})

describe('a file that cannot be handled', () => {
  it('waits longer after each failure, even if it is an event that may have crashed a worker', async () => {
    const world = makeWorld()
    const { dispatcher, dispatch, clock } = openDispatcher(world)
    renameSync(join(world.spool.new, world.acceptRaw('no JSON')), join(world.spool.new, 'e~1'))
    block(world.spool.dead)
    for (const pauseMs of [1000, 2000, 4000]) {
      expect(await dispatch()).toBeLessThanOrEqual(1)
      expect(dispatcher.nextInMs).toBe(pauseMs)
      clock.now += pauseMs
    }
  })

  it('is not due before its pause is over, even if it is a parked delivery', async () => {
    const world = makeWorld()
    park(world.spool, { since: 0, reason: 'x', isHeld: false, delivery: makeDelivery('damaged') })
    damageParked(world.spool, 'damaged.file')
    const { dispatcher, dispatch } = openDispatcher(world)
    block(world.spool.corrupt)
    expect(await dispatch()).toBe(1)
    expect(dispatcher.nextInMs).toBe(1000)
  })

  it('keeps its name if it is not an event', async () => {
    const world = makeWorld()
    const names = ['-rf', '.hidden', 'a b']
    for (const name of names) writeFileSync(join(world.spool.new, name), name)
    const { dispatch } = openDispatcher(world)
    block(world.spool.corrupt)
    expect(await dispatch()).toBe(3)
    expect(readdirSync(world.spool.new).sort()).toEqual(names)
  })
})

describe('a held delivery', () => {
  it.each([
    ['cannot be read', 'corrupt'],
    ['cannot be given up after three crashes', 'dead'],
  ] as const)('is sent although another one of its group %s', async (_, folder) => {
    const world = makeWorld()
    const why = { since: 0, reason: 'x', isHeld: true, group: 'g' }
    for (const [index, event] of ['first', 'second'].entries()) {
      const delivery = makeDelivery(event, { acceptedAt: index })
      park(world.spool, { ...why, delivery })
    }
    if (folder === 'dead') setCrashes(world.spool, 'second.file', 3)
    const { dispatch } = openDispatcher(world)
    // The store has read the group of the delivery before.
    if (folder === 'corrupt') damageParked(world.spool, 'second.file')
    block(world.spool[folder])
    await dispatch()
    expect(world.lines().map(({ id }) => id)).toEqual(['first'])
    expect(world.parked()).toEqual([folder === 'dead' ? 'second.file~3' : 'second'])
  })
})
