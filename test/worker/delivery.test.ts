import { spawnSync } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { flush } from '../../src/worker/control.ts'
import { deliverOnce } from '../../src/worker/run.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { countOutcomes, makeDue, makeWorld, retryById, type World } from './_world.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

const slack = (url: string, path = '/services/a') => ({ type: 'slack', url: `${url}${path}` })

describe('deliveries', () => {
  it('reach every channel and leave no event in the spool', async () => {
    const world = makeWorld()
    const id = world.accept({ message: 'hello' })
    expect(await world.once()).toEqual({ handled: 1, faults: [] })
    expect(world.lines()).toMatchObject([{ id, body: 'hello' }])
    expect(world.list('new')).toEqual([])
    expect(readdirSync(world.spool.cur)).toEqual([])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered', to: ['file'] })
  })

  it('leave nothing behind in a process that delivers again and again, as drain does', async () => {
    const world = makeWorld()
    const { signal: ending } = new AbortController()
    await deliverOnce({ ...world, ending })
    expect(getEventListeners(ending, 'abort')).toEqual([])
  })

  it('are retried after a temporary failure, but only on the channel that failed', async () => {
    const { url, received } = await startReceiver({ script: [500, 500, 200] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received).toHaveLength(3)
    expect(world.lines().map((line) => line.id)).toEqual([id])
    const status = await world.statusOf(id)
    expect(status).toMatchObject({ outcome: 'delivered' })
    expect(status?.channels.team).toMatchObject({ state: 'delivered', attempts: 3 })
    expect(world.parked()).toEqual([])
  })

  it('keep the order of acceptance within a session', async () => {
    const world = makeWorld()
    // On a slow disk, the wait for an earlier event would time out, which is not the subject of this test.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const sent: string[] = []
    for (let index = 0; index < 200; index += 1) {
      const session_id = `s${index % 10}`
      // A Stop with a transcript takes longer to prepare than the events after it.
      const event = index % 3 === 0 ? { hook_event_name: 'Stop', transcript_path: '/none' } : {}
      sent.push(`${session_id} ${world.accept({ session_id, ...event })}`)
    }
    await world.untilIdle()
    const told = world.lines().map((line) => `${line.sessionId} ${line.id}`)
    for (let session = 0; session < 10; session += 1) {
      const of = (lines: string[]) => lines.filter((line) => line.startsWith(`s${session} `))
      expect(of(told)).toEqual(of(sent))
    }
  })

  it.skipIf(!hasStrace)('of one session share disk syncs and keep their order', async () => {
    const world = makeWorld()
    const ids = Array.from({ length: 40 }, (_, index) => {
      const id = world.accept({ session_id: 's1', message: `${index}` })
      utimesSync(join(world.spool.new, id), index, index)
      return id
    })
    const log = join(world.folder, 'log')
    const traced = [
      '-f',
      '-y',
      '-qq',
      '-o',
      log,
      '-e',
      'trace=fdatasync',
      // Slow enough that more events queue up, and fast enough that none of them times out.
      '-e',
      'inject=fdatasync:delay_enter=50ms',
      process.execPath,
      builtWorker,
    ]
    spawnSync('strace', traced, { env: world.env })
    expect(world.lines().map(({ id }) => id)).toEqual(ids)
    const syncs = readFileSync(log, 'utf8').match(/fdatasync\(\d+<[^>]*\/out\.jsonl>/g) ?? []
    expect(syncs.length).toBeGreaterThan(0)
    expect(syncs.length).toBeLessThan(ids.length / 4)
  })

  it('that are deferred are retried at once after a change of the configuration', async () => {
    const broken = await startReceiver({ script: [500] })
    const fixed = await startReceiver()
    const routes = [{ on: ['*'], to: ['team'] }]
    const retry = { firstDelaySeconds: 600 }
    const config = (url: string) => ({ channels: { team: slack(url) }, routes, retry })
    const world = makeWorld()
    world.configure({ ...config(broken.url), lingerSeconds: 0 })
    world.accept({ message: 'one' })
    const worker = world.untilIdle()
    await expect.poll(() => world.parked().length).toBe(1)
    world.configure({ ...config(fixed.url), lingerSeconds: 0 })
    world.accept({ message: 'two' })
    await worker
    expect(fixed.received).toHaveLength(2)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 2 })
  })

  it('name the repository that a folder has become part of while the worker ran', async () => {
    const world = makeWorld({ lingerSeconds: 600 })
    const worker = world.untilIdle()
    const projects = () => world.lines().map(({ title }) => title.split(/:| · /)[1])
    const cwd = join(world.folder, 'shop', 'web')
    mkdirSync(cwd, { recursive: true })
    world.accept({ message: 'one', cwd })
    await expect.poll(projects).toEqual(['web'])
    mkdirSync(join(cwd, '..', '.git'))
    world.configure({
      channels: { file: { type: 'file', path: world.outFile } },
      routes: [{ on: ['*'], to: ['file'] }],
      lingerSeconds: 0,
    })
    world.accept({ message: 'two', cwd })
    await worker
    expect(projects()).toEqual(['web', 'shop'])
  })

  it.each([
    ['seconds', () => '2'],
    ['a date', () => new Date(Date.now() + 3000).toUTCString()],
  ])(
    'to a destination all wait as long as its Retry-After header says in %s',
    async (_, retryAfter) => {
      const times: number[] = []
      const answer = (status: number) => () => {
        times.push(performance.now())
        return { status, headers: { 'retry-after': retryAfter() } }
      }
      const { url } = await startReceiver({ script: [answer(429), answer(200)] })
      const world = makeWorld({ channels: { team: slack(url) } })
      world.accept({ message: 'one' })
      const worker = world.untilIdle()
      await expect.poll(() => world.parked()).toHaveLength(1)
      world.accept({ message: 'two' })
      await worker
      expect(times).toHaveLength(3)
      // A date has a resolution of one second, so up to one of the three seconds is lost.
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1990)
      expect(countOutcomes(await world.statuses())).toEqual({ delivered: 2 })
    },
  )

  it('that are rejected permanently go to dead/ without a second attempt', async () => {
    const { url, received } = await startReceiver({ script: [404] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received).toHaveLength(1)
    expect(world.dead()).toEqual([`${id}.team`])
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'dead' })
  })

  it('of a dead event are retried only on the channel that failed', async () => {
    const { url, received } = await startReceiver({ script: [404, 200] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    await retryById(world, id)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'waiting' })
    await world.once()
    expect(received).toHaveLength(2)
    expect(world.lines()).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
    expect(world.dead()).toEqual([])
    expect(readdirSync(world.spool.dead)).toEqual([])
  })

  it('give up after the configured number of attempts', async () => {
    const { url, received } = await startReceiver({ script: [500] })
    const retry = { firstDelaySeconds: 0.01, maxDelaySeconds: 0.02, maxAttempts: 2 }
    const world = makeWorld({ channels: { team: slack(url) }, retry })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received).toHaveLength(2)
    const { outcome, channels } = (await world.statusOf(id)) ?? {}
    expect(outcome).toBe('dead')
    expect(channels?.team?.detail).toBe('gave up after 2 attempts: slack: 500 status 500')
  })

  it('to a hanging channel neither delay nor repeat those to other channels', async () => {
    const { url, received, close } = await startReceiver({ script: ['blackhole'] })
    const retry = { ...{ firstDelaySeconds: 60, maxDelaySeconds: 60 }, maxAttempts: 8 }
    const world = makeWorld({
      channels: { team: slack(url) },
      retry,
      deliveryTimeoutSeconds: 600,
    })
    for (let index = 0; index < 300; index += 1) world.accept({ message: `event ${index}` })
    const running = world.once()
    // All 300 arrive while the hanging channel has not answered yet.
    await expect.poll(() => world.lines().length).toBe(300)
    const inFlight = received.length
    await close()
    await running
    expect(new Set(world.lines().map(({ id }) => id)).size).toBe(300)
    expect(received).toHaveLength(inFlight)
    expect(countOutcomes(await world.statuses())).toEqual({ waiting: 300 })
    // Only attempts that failed are parked; waiting in the queue is not an attempt and writes nothing. An attempt may
    // have begun that the receiver had not seen before it was closed.
    const attempts = world.parked().length
    expect(attempts).toBeGreaterThanOrEqual(inFlight)
    expect(attempts).toBeLessThanOrEqual(4)
    expect(world.list('new')).toHaveLength(300 - attempts)
  })

  it('that only wait for the minimum interval of a channel are all made in one run', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld({ channels: { team: slack(url) } })
    for (let index = 0; index < 5; index += 1) world.accept({ message: `event ${index}` })
    await world.once()
    expect(received).toHaveLength(5)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 5 })
  })

  describe('to a channel that was removed', () => {
    const makeAllDue = (world: World) => {
      for (const name of world.parked()) makeDue(world, name)
    }
    async function makeRemoved(change: (world: World) => void, wake = makeAllDue) {
      const { url } = await startReceiver({ script: [500] })
      const retry = { firstDelaySeconds: 60 }
      const world = makeWorld({ channels: { constructor: slack(url) }, retry })
      const id = world.accept({ message: 'hello' })
      await world.once()
      change(world)
      wake(world)
      await world.once()
      return { world, id, status: (await world.statusOf(id))?.channels.constructor }
    }
    const removeChannel = (world: World) =>
      world.configure({
        channels: { file: { type: 'file', path: world.outFile } },
        lingerSeconds: 0,
      })

    it('are suppressed, with the reason', async () => {
      const { world, status } = await makeRemoved(removeChannel)
      const detail = 'the channel constructor was removed'
      expect(status).toMatchObject({ state: 'suppressed', detail })
      expect([world.parked(), world.dead()]).toEqual([[], []])
    })

    it('stay dead if a person retries them', async () => {
      const { world, id } = await makeRemoved(removeChannel, (one) => flush(one.stateDir))
      expect(world.dead()).toEqual([`${id}.constructor`])
      await retryById(world, id)
      await world.once()
      expect(await world.statusOf(id)).toMatchObject({
        channels: { constructor: { state: 'exhausted', detail: 'no channel "constructor"' } },
      })
    })
  })

  it('wait for a secret that is not set', async () => {
    const world = makeWorld({ channels: { team: { type: 'slack', url: '${NOT_SET_ANYWHERE}' } } })
    const id = world.accept({ message: 'hello' })
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'waiting' })
    expect((await world.statusOf(id))?.channels.team?.detail).toBe('${NOT_SET_ANYWHERE} not set')
    expect(world.lines()).toHaveLength(1)
  })

  it('that waited for a secret have the text and the noise rules of their channel', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld({
      channels: {
        soon: slack(url, '/soon'),
        later: { ...slack('${LATER}', '/later'), noise: false },
        minimal: { ...slack('${LATER}', '/minimal'), clearance: 'minimal' },
      },
      routes: [{ on: ['permission', 'done'], to: ['soon', 'later', 'minimal'] }],
      noise: { minSeconds: 3600 },
    })
    const message = 'May I run make?'
    world.accept({ session_id: 'a', message, notification_type: 'permission_prompt' })
    world.accept({ session_id: 'b', hook_event_name: 'UserPromptSubmit', prompt: 'Build it' })
    world.accept({ session_id: 'b', hook_event_name: 'Stop', last_assistant_message: 'Built.' })
    await world.once()
    writeFileSync(join(world.configDir, 'secrets.env'), `LATER=${url}\n`, { mode: 0o600 })
    await world.untilIdle()
    const sent = (to: string) =>
      received.filter(({ path }) => path === to).map(({ body }) => JSON.parse(body))
    expect(sent('/soon')).toHaveLength(1)
    expect(JSON.stringify(sent('/soon'))).toContain('May I run make?')
    // Of two sessions, either may come first.
    expect(sent('/later')).toHaveLength(2)
    expect(sent('/later')).toContainEqual(sent('/soon')[0])
    expect(JSON.stringify(sent('/later'))).toContain('Built.')
    expect(sent('/minimal')).toHaveLength(1)
    expect(JSON.stringify(sent('/minimal'))).not.toContain('May I')
  })
})

describe('a channel on which a rule suppresses an event', () => {
  it('is recorded with the reason, while another channel gets the event', async () => {
    const world = makeWorld()
    const file = { type: 'file', path: world.outFile }
    const { url, received } = await startReceiver()
    const team = { type: 'slack', url: `${url}/services/x` }
    const channels = { file: { ...file, noise: false }, team }
    const routes = [{ on: ['done'], to: ['file', 'team'] }]
    world.configure({ channels, routes, lingerSeconds: 0, noise: { minSeconds: 3600 } })
    world.accept({ session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: 'Build it' })
    const id = world.accept({ session_id: 's', hook_event_name: 'Stop' })
    await world.once()
    expect([world.lines().map((line) => line.id), received]).toEqual([[id], []])
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'delivered',
      channels: { team: { state: 'suppressed', detail: expect.stringContaining('the turn took') } },
    })
  })
})
