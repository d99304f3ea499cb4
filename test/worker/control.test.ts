import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FolderWatcher } from '../../src/fs/folder-watcher.ts'
import { packageRoot } from '../../src/package-root.ts'
import { ownerToken, thisProcess } from '../../src/spool/lock/owner.ts'
import { isOnHold } from '../../src/spool/requests.ts'
import { flush, purge, setOnHold } from '../../src/worker/control.ts'
import { makeDelivery } from '../support/delivery.ts'
import { park } from '../support/parked.ts'
import { builtWorker } from '../support/program.ts'
import { holdAnswer, startReceiver } from '../support/receiver.ts'
import { hasStrace } from '../support/system-calls.ts'
import { countOutcomes, exited, makeWorld, readLines, startProgram, type World } from './_world.ts'

const inAnHour = () => ({ notBefore: Date.now() + 3600_000 })
const slack = (url: string) => ({ type: 'slack', url: `${url}/services/x` })

/** Starts a worker and waits until it holds the lock. */
async function startWorker(world: World) {
  const worker = startProgram(builtWorker, world)
  await expect.poll(() => existsSync(join(world.stateDir, 'worker.lock'))).toBe(true)
  return worker
}

function toTeam(world: World, url: string, more: object = {}) {
  const routes = [{ on: ['*'], to: ['team'] }]
  world.configure({ channels: { team: slack(url) }, routes, lingerSeconds: 600, ...more })
}

describe('a running worker', () => {
  it('sends nothing while on hold, keeps its queue, and continues at once when resumed', async () => {
    let delayMs = 300
    const { url, received } = await startReceiver({ script: [() => ({ delayMs })] })
    const world = makeWorld()
    const channels = { hook: { type: 'webhook', url } }
    world.configure({ channels, routes: [{ on: ['*'], to: ['hook'] }], lingerSeconds: 600 })
    const worker = await startWorker(world)
    // A session's messages go one after the other, so the others are queued.
    const accept = (message: string) => world.accept({ session_id: 's', message })
    for (let index = 0; index < 30; index += 1) accept(`${index}`)
    await expect.poll(() => received.length).toBeGreaterThan(0)
    setOnHold(world.stateDir, true)
    accept('while on hold')
    const sentInASecond = async () => {
      const before = received.length
      await sleep(1000)
      return received.length - before
    }
    // The worker may need a while until it notices.
    await expect.poll(sentInASecond).toBe(0)
    expect(received.length).toBeLessThan(30)
    expect(world.parked()).toEqual([])
    expect(worker.exitCode).toBeNull()
    delayMs = 0
    setOnHold(world.stateDir, false)
    await expect.poll(async () => countOutcomes(await world.statuses())).toEqual({ delivered: 31 })
    expect(received).toHaveLength(31)
    worker.kill()
    expect(await exited(worker)).toBe(0)
  })

  it('ends while on hold and leaves its queued events to the next worker', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld()
    toTeam(world, url, { lingerSeconds: 0 })
    setOnHold(world.stateDir, true)
    for (let index = 0; index < 3; index += 1) world.accept({ message: `${index}` })
    expect(await exited(startProgram(builtWorker, world))).toBe(0)
    expect([received.length, world.list('new').length]).toEqual([0, 3])
    setOnHold(world.stateDir, false)
    expect(await exited(startProgram(builtWorker, world))).toBe(0)
    expect(received).toHaveLength(3)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 3 })
  })

  it('stops in the middle of a long queue when it is put on hold', async () => {
    const world = makeWorld()
    for (let index = 0; index < 4500; index += 1) {
      const text = 'hookbell-event 1\nclient: claude\n\n{"hook_event_name":"Stop"}'
      writeFileSync(join(world.spool.new, `event${index}`), text)
    }
    // In this process, so that it cannot go on while the test gets no processor time.
    const running = world.untilIdle()
    await expect.poll(() => world.lines().length).toBeGreaterThan(0)
    setOnHold(world.stateDir, true)
    await running
    const [told, waiting] = [world.lines().length, world.list('new').length]
    expect(told + waiting).toBe(4500)
    expect(waiting).toBeGreaterThan(1000)
  })

  it('retries a deferred delivery at once after a flush', async () => {
    const { url, received } = await startReceiver({ script: [500, 200] })
    const world = makeWorld()
    toTeam(world, url, { retry: { firstDelaySeconds: 3600, maxDelaySeconds: 3600 } })
    const worker = await startWorker(world)
    for (let index = 0; index < 3; index += 1) world.accept({ message: `${index}` })
    await expect.poll(() => world.parked().length).toBe(1)
    flush(world.stateDir)
    await expect.poll(() => received.length).toBe(4)
    await expect.poll(async () => countOutcomes(await world.statuses())).toEqual({ delivered: 3 })
    worker.kill()
    await exited(worker)
  })

  it('does not deliver an event that was purged', async () => {
    const { url, received } = await startReceiver({ script: [500, 200] })
    const world = makeWorld()
    toTeam(world, url, { retry: { firstDelaySeconds: 3600, maxDelaySeconds: 3600 } })
    const worker = await startWorker(world)
    const id = world.accept({ message: 'never mind' })
    await expect.poll(() => world.parked().length).toBe(1)
    expect(await purge(world.stateDir)).toBe(1)
    // A changed configuration makes all waiting deliveries due; this one also lets the worker end.
    toTeam(world, url, { lingerSeconds: 0 })
    world.accept({ message: 'later' })
    expect(await exited(worker)).toBe(0)
    expect(received.map(({ body }) => /never mind|later/.exec(body)?.[0])).toEqual([
      'never mind',
      'later',
    ])
    expect(world.parked()).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ reason: 'purged by hand' })
  })

  it('does not try again what was purged while it was being sent', async () => {
    const answer = holdAnswer({ status: 500 })
    const { url, received } = await startReceiver({ script: [answer.step] })
    const world = makeWorld()
    toTeam(world, url, { lingerSeconds: 0 })
    // Accepted first: without an event, this worker ends at once.
    const id = world.accept({ message: 'never mind' })
    const worker = await startWorker(world)
    await expect.poll(() => received.length).toBe(1)
    expect(await purge(world.stateDir)).toBe(1)
    answer.give()
    await expect
      .poll(() => world.statusOf(id))
      .toMatchObject({
        outcome: 'suppressed',
        channels: { team: { detail: 'purged by hand' } },
      })
    expect(await exited(worker)).toBe(0)
    expect([received.length, world.parked()]).toEqual([1, []])
  })

  it('drops queued events too when they are purged, and delivers later ones at once', async () => {
    const { url, received } = await startReceiver({ script: [500, 200] })
    const world = makeWorld()
    toTeam(world, url, { retry: { firstDelaySeconds: 3600, maxDelaySeconds: 3600 } })
    const worker = await startWorker(world)
    const first = world.accept({ message: 'fails' })
    await expect.poll(() => world.parked().length).toBe(1)
    const inLine = world.accept({ message: 'stands in line' })
    // The worker has claimed the event and routed it.
    await expect.poll(async () => (await world.statusOf(inLine))?.to).toEqual(['team'])
    expect(await purge(world.stateDir)).toBe(2)
    for (const id of [first, inLine]) {
      await expect
        .poll(() => world.statusOf(id))
        .toMatchObject({
          outcome: 'suppressed',
          channels: { team: { state: 'suppressed', detail: 'purged by hand' } },
        })
    }
    const last = world.accept({ message: 'comes afterwards' })
    await expect.poll(() => world.statusOf(last)).toMatchObject({ outcome: 'delivered' })
    expect(received.map(({ body }) => /fails|in line|afterwards/.exec(body)?.[0])).toEqual([
      'fails',
      'afterwards',
    ])
    worker.kill()
    await exited(worker)
  })
})

describe('a command', () => {
  it.each([
    ['hold', 'hold', (state: string) => setOnHold(state, true)],
    ['resume', 'hold', (state: string) => setOnHold(state, false)],
    ['flush', 'flush', flush],
    ['purge', 'purge', purge],
  ] as const)('(%s) wakes a worker that waits', async (command, what, ask) => {
    const { spool, stateDir } = makeWorld()
    const why = { since: 0, reason: 'x', isHeld: false }
    park(spool, { ...why, delivery: makeDelivery('e', inAnHour()) })
    const woken: string[] = []
    if (command === 'resume') setOnHold(stateDir, true)
    const watcher = new FolderWatcher([spool.requests], (name) => void woken.push(name ?? ''))
    onTestFinished(() => watcher.close())
    await ask(stateDir)
    await expect.poll(() => woken).toContain(what)
  })
})

it('a hold takes effect even before the first worker has created the state folder', () => {
  const { folder } = makeWorld()
  const stateDir = join(folder, 'new-state')
  setOnHold(stateDir, true)
  expect(isOnHold(stateDir)).toBe(true)
  setOnHold(stateDir, false)
  expect(isOnHold(stateDir)).toBe(false)
})

it('a purge also removes what a dead worker had claimed', async () => {
  const world = makeWorld()
  const id = world.accept({ message: 'never mind' })
  const owner = join(world.spool.cur, ownerToken({ ...thisProcess(), started: '1' }))
  mkdirSync(owner)
  renameSync(join(world.spool.new, id), join(owner, id))
  expect(await purge(world.stateDir)).toBe(1)
  expect([world.list('new'), readdirSync(world.spool.cur)]).toEqual([[], []])
})

it.skipIf(!hasStrace)(
  'a purge that is killed keeps the events that it has not recorded',
  async () => {
    const world = makeWorld()
    const id = world.accept({ message: 'still there' })
    const kill = ['-e', 'trace=openat', '-e', 'inject=openat:signal=KILL']
    const journal = join(world.stateDir, 'journal.jsonl')
    const program = [process.execPath, join(packageRoot(), 'bin/hookbell'), 'purge', '--yes']
    const words = ['-f', '-qq', '-o', '/dev/null', '-P', journal, ...kill, ...program]
    expect(spawnSync('strace', words, { env: world.env })).toMatchObject({ signal: 'SIGKILL' })
    expect(world.list('new')).toEqual([])
    await world.once()
    expect(world.lines()).toMatchObject([{ id }])
  },
)

it('a purge records every event that it removes, even with a folder among them', async () => {
  const world = makeWorld()
  const ids = [world.accept({ message: '1' }), world.accept({ message: '2' })].sort()
  mkdirSync(join(world.spool.new, 'folder'))
  expect(await purge(world.stateDir)).toBe(2)
  expect(world.list('new')).toEqual(['folder'])
  const statuses = await world.statuses()
  expect(statuses.flatMap(({ id, reason }) => (reason ? id : [])).sort()).toEqual(ids)
})

it('a purge counts an event once if one channel retries it and another one still sends it', async () => {
  const world = makeWorld()
  const id = world.accept({ message: 'never mind' })
  const owner = join(world.spool.cur, ownerToken(thisProcess()))
  mkdirSync(owner)
  renameSync(join(world.spool.new, id), join(owner, id))
  const why = { since: 0, reason: 'x', isHeld: false }
  park(world.spool, { ...why, delivery: makeDelivery(id, inAnHour()) })
  expect(await purge(world.stateDir)).toBe(1)
})

it('a purge records every event that it removes, even with a stray file in cur/', async () => {
  const world = makeWorld()
  const id = world.accept({ message: 'never mind' })
  const stray = join(world.spool.cur, '.DS_Store')
  writeFileSync(stray, '')
  expect(await purge(world.stateDir)).toBe(1)
  rmSync(stray)
  expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed' })
})

describe('400 events to a destination that takes one per second', () => {
  it('are sent in a few messages, permission questions first, and each has its own journal line', async () => {
    const first = holdAnswer()
    const { url, received } = await startReceiver({ script: [first.step, 200] })
    const world = makeWorld()
    toTeam(world, url, { lingerSeconds: 0 })
    for (let index = 0; index < 400; index += 1) {
      world.accept({ session_id: `s${index % 7}`, message: `event ${index}` })
    }
    const questions = [1, 2].map((index) =>
      world.accept({ hook_event_name: 'PermissionRequest', session_id: `q${index}` }),
    )
    const running = world.untilIdle()
    // Nothing else is sent while the first message is under way.
    await expect.poll(async () => (await world.statuses()).length).toBe(402)
    first.give()
    await running
    expect(received.length).toBeLessThanOrEqual(10)
    const texts = received.map(({ body }) => body)
    const asked = texts.findLastIndex((text) => /permission/i.test(text))
    const summary = texts.findIndex((text) => /and \d+ more/.test(text))
    expect(asked).toBeLessThan(summary)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 402 })
    expect(await world.statusOf(questions[0] ?? '')).toMatchObject({ outcome: 'delivered' })
    const told = readLines<{ type: string; id: string; summary?: string }>(
      join(world.stateDir, 'journal.jsonl'),
    ).filter(({ type }) => type === 'delivered')
    expect(told).toHaveLength(402)
    // Each message that was sent has exactly one line without a reference to a summary.
    expect(told.filter((line) => !line.summary)).toHaveLength(received.length)
  })
})

describe('the text of messages', () => {
  const SAID = 'what-the-agent-said'

  it.each([true, false])('is in the journal only if `journal.text` is on: %s', async (text) => {
    const world = makeWorld({ journal: { text } })
    for (const hook_event_name of ['Stop', 'Notification', 'PermissionRequest', 'StopFailure']) {
      const event = { message: SAID, last_assistant_message: SAID, prompt: SAID, error: SAID }
      world.accept({ hook_event_name, session_id: 's', ...event, tool_input: { command: SAID } })
    }
    await world.once()
    expect(readFileSync(world.outFile, 'utf8')).toContain(SAID)
    expect(readFileSync(join(world.stateDir, 'journal.jsonl'), 'utf8').includes(SAID)).toBe(text)
    expect(readdirSync(join(world.stateDir, 'spool')).includes('done')).toBe(false)
  })
})

describe('kept files beyond the cap', () => {
  it('are removed by the worker, the oldest first', async () => {
    const world = makeWorld()
    for (const name of ['newer', 'older']) {
      const path = join(world.spool.corrupt, name)
      writeFileSync(path, '')
      truncateSync(path, 40 * 1024 * 1024)
    }
    utimesSync(join(world.spool.corrupt, 'older'), 1, 1)
    await world.once()
    expect(readdirSync(world.spool.corrupt)).toEqual(['newer'])
  })
})
