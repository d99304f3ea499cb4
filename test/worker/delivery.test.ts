import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { flush } from '../../src/worker/control.ts'
import { buildProgram } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { countOutcomes, makeWorld, retryById } from './_world.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

const slack = (url: string, path = '/services/a') => ({ type: 'slack', url: `${url}${path}` })

describe('deliveries', () => {
  it('reach every channel, and each event ends in one place', async () => {
    const world = makeWorld()
    const id = world.accept({ message: 'hello' })
    expect(await world.once()).toEqual({ handled: 1, faults: [] })
    expect(world.lines()).toMatchObject([{ id, body: 'hello' }])
    expect(world.list('new')).toEqual([])
    expect(readdirSync(world.spool.cur)).toEqual([])
    expect(await world.account(id)).toMatchObject({ outcome: 'delivered', to: ['file'] })
  })

  it('are retried after a temporary failure, with the same id', async () => {
    const { url, received } = await startReceiver({ script: [500, 500, 200] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received).toHaveLength(3)
    expect(world.lines().map((line) => line.id)).toEqual([id])
    const account = await world.account(id)
    expect(account).toMatchObject({ outcome: 'delivered' })
    expect(account?.channels.team).toMatchObject({ state: 'delivered', attempts: 3 })
    expect(readdirSync(world.spool.deferred)).toEqual([])
  })

  it('keep the order of acceptance within a session', async () => {
    const world = makeWorld()
    // On a disk that hangs patience comes to an end, which is another matter.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const sent: string[] = []
    for (let index = 0; index < 200; index += 1) {
      const session_id = `s${index % 10}`
      // A Stop with a transcript takes longer to prepare than what comes after it.
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

  it.skipIf(!hasStrace)('of one session go to the disk together, in their order', async () => {
    const program = await buildProgram('src/worker/main.ts')
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
      // So slow that more comes meanwhile, and quick enough for the patience of those that wait in line.
      '-e',
      'inject=fdatasync:delay_enter=50ms',
      process.execPath,
      program,
    ]
    spawnSync('strace', traced, { env: world.env })
    expect(world.lines().map(({ id }) => id)).toEqual(ids)
    const syncs = readFileSync(log, 'utf8').match(/fdatasync\(\d+<[^>]*\/out\.jsonl>/g) ?? []
    expect(syncs.length).toBeGreaterThan(0)
    expect(syncs.length).toBeLessThan(ids.length / 4)
  })

  it('that wait are tried at once when the configuration was fixed', async () => {
    const broken = await startReceiver({ script: [500] })
    const fixed = await startReceiver()
    const routes = [{ on: ['*'], to: ['team'] }]
    const retry = { firstDelaySeconds: 600 }
    const config = (url: string) => ({ channels: { team: slack(url) }, routes, retry })
    const world = makeWorld()
    world.configure({ ...config(broken.url), lingerSeconds: 0 })
    world.accept({ message: 'one' })
    const worker = world.untilIdle()
    await expect.poll(() => world.list('deferred').length).toBe(1)
    world.configure({ ...config(fixed.url), lingerSeconds: 0 })
    world.accept({ message: 'two' })
    await worker
    expect(fixed.received).toHaveLength(2)
    expect(countOutcomes(await world.accounts())).toEqual({ delivered: 2 })
  })

  it.each([
    ['seconds', () => '2'],
    ['a date', () => new Date(Date.now() + 3000).toUTCString()],
  ])('wait as long as Retry-After says in %s, all to that destination', async (_, retryAfter) => {
    const times: number[] = []
    const answer = (status: number) => () => {
      times.push(performance.now())
      return { status, headers: { 'retry-after': retryAfter() } }
    }
    const { url } = await startReceiver({ script: [answer(429), answer(200)] })
    const world = makeWorld({ channels: { team: slack(url) } })
    world.accept({ message: 'one' })
    const worker = world.untilIdle()
    await expect.poll(() => world.list('deferred')).toHaveLength(1)
    world.accept({ message: 'two' })
    await worker
    expect(times).toHaveLength(3)
    // A date has whole seconds, so up to one of the three is lost in it.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1990)
    expect(countOutcomes(await world.accounts())).toEqual({ delivered: 2 })
  })

  it('that are refused for good end in dead, at once and without a second try', async () => {
    const { url, received } = await startReceiver({ script: [404] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received).toHaveLength(1)
    expect(world.list('dead')).toEqual([`${id}.team`])
    expect(await world.account(id)).toMatchObject({ outcome: 'dead' })
  })

  it('of a dead event are repeated only where they gave up', async () => {
    const { url, received } = await startReceiver({ script: [404, 200] })
    const world = makeWorld({ channels: { team: slack(url) } })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    await retryById(world, id)
    expect(await world.account(id)).toMatchObject({ outcome: 'waiting' })
    await world.once()
    expect(received).toHaveLength(2)
    expect(world.lines()).toHaveLength(1)
    expect(await world.account(id)).toMatchObject({ outcome: 'delivered' })
    expect(world.list('dead')).toEqual([])
    expect(readdirSync(world.spool.dead)).toEqual([])
  })

  it('give up after the configured number of attempts', async () => {
    const { url, received } = await startReceiver({ script: [500] })
    const retry = { firstDelaySeconds: 0.01, maxDelaySeconds: 0.02, maxAttempts: 2 }
    const world = makeWorld({ channels: { team: slack(url) }, retry })
    const id = world.accept({ message: 'hello' })
    await world.untilIdle()
    expect(received).toHaveLength(2)
    const { outcome, channels } = (await world.account(id)) ?? {}
    expect(outcome).toBe('dead')
    expect(channels?.team?.detail).toBe('gave up after 2 attempts: slack: 500 status 500')
  })

  it('to a dead channel neither delay nor repeat the others', async () => {
    const { url, received, close } = await startReceiver({ script: ['blackhole'] })
    const retry = { ...{ firstDelaySeconds: 60, maxDelaySeconds: 60 }, maxAttempts: 8 }
    const world = makeWorld({
      channels: { team: slack(url) },
      retry,
      deliveryTimeoutSeconds: 600,
    })
    for (let index = 0; index < 300; index += 1) world.accept({ message: `event ${index}` })
    const running = world.once()
    // All of them while the dead channel still has not said a word.
    await expect.poll(() => world.lines().length).toBe(300)
    const inFlight = received.length
    await close()
    await running
    expect(new Set(world.lines().map(({ id }) => id)).size).toBe(300)
    expect(inFlight).toBeLessThanOrEqual(4)
    expect(received).toHaveLength(inFlight)
    expect(countOutcomes(await world.accounts())).toEqual({ waiting: 300 })
    // Only what was tried and failed is parked; to stand in line is no attempt and writes nothing.
    expect(world.list('deferred')).toHaveLength(inFlight)
    expect(world.list('new')).toHaveLength(300 - inFlight)
  })

  it('that only have to stand in line are all made by one run', async () => {
    const { url, received } = await startReceiver()
    const world = makeWorld({ channels: { team: slack(url) } })
    for (let index = 0; index < 5; index += 1) world.accept({ message: `event ${index}` })
    await world.once()
    expect(received).toHaveLength(5)
    expect(countOutcomes(await world.accounts())).toEqual({ delivered: 5 })
  })

  it('to a channel that was removed end in dead and say so', async () => {
    const { url } = await startReceiver({ script: [500] })
    const retry = { firstDelaySeconds: 60 }
    const world = makeWorld({ channels: { constructor: slack(url) }, retry })
    const id = world.accept({ message: 'hello' })
    await world.once()
    world.configure({ channels: { file: { type: 'file', path: world.outFile } }, lingerSeconds: 0 })
    flush(world.stateDir)
    await world.once()
    const detail = 'no channel "constructor"'
    expect(await world.account(id)).toMatchObject({ channels: { constructor: { detail } } })
  })

  it('whose secret is not set wait for it', async () => {
    const world = makeWorld({ channels: { team: { type: 'slack', url: '${NOT_SET_ANYWHERE}' } } })
    const id = world.accept({ message: 'hello' })
    await world.once()
    expect(await world.account(id)).toMatchObject({ outcome: 'waiting' })
    expect((await world.account(id))?.channels.team?.detail).toBe('${NOT_SET_ANYWHERE} not set')
    expect(world.lines()).toHaveLength(1)
  })
})
