import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { builtInConfig, parseConfig } from '../../src/config/load/load.ts'
import { failedOutcome, withDeadline } from '../../src/deliver/attempt.ts'
import { Deliverer } from '../../src/deliver/deliverer.ts'
import { unknownLife } from '../../src/deliver/message-life.ts'
import type { Delivery } from '../../src/delivery.ts'
import { makeDelivery } from '../support/delivery.ts'
import { refusedPort } from '../support/port.ts'
import { startReceiver } from '../support/receiver.ts'

const FIRST_DELAY_MS = 40

/**
 * A deliverer for the channel `team`, where the question `answered` is no longer worth sending, and the events whose
 * sending has begun.
 */
function makeDeliverer(config: object) {
  const retry = { firstDelaySeconds: FIRST_DELAY_MS / 1000, maxDelaySeconds: 60 }
  const secrets = { file: new Map(), env: {} }
  const load = (one: object) =>
    parseConfig(JSON.stringify({ retry, ...one }), { path: 'config.json', secrets })
  const current = { config: load(config) }
  const clock = { skippedMs: 0, isStopped: false }
  const begun: string[] = []
  const deliverer = new Deliverer({
    config: () => current.config,
    now: Date.now,
    random: () => 1,
    steadyNow: () => (clock.isStopped ? 0 : performance.now()) + clock.skippedMs,
    isComing: () => true,
    life: {
      ...unknownLife,
      begin(delivery, destination) {
        begun.push(...delivery.events)
        return unknownLife.begin(delivery, destination)
      },
      whyOver: async ({ events }) => (events[0] === 'answered' ? 'it was answered' : undefined),
    },
  })
  const deliver = async (event: string, more: Partial<Delivery> = {}, fails = false) => {
    const delivery = makeDelivery(event, { channel: 'team', ...more })
    return await deliverer.deliver(delivery, async () => {
      if (fails) throw new Error('cannot be read')
      return delivery
    })
  }
  const configure = (one: object) => {
    current.config = load(one)
  }
  return { begun, clock, configure, deliver, deliverer }
}

describe('a permission question', () => {
  it('overtakes the messages of its own session', async () => {
    const { url } = await startReceiver()
    const team = { type: 'webhook', url, allowPrivateNetwork: true }
    const { begun, deliver } = makeDeliverer({ channels: { team } })
    const session = 'claude s1'
    await Promise.all([
      deliver('first', { session }),
      deliver('second', { session }),
      deliver('question', { session, kind: 'permission' }),
    ])
    expect(begun).toEqual(['first', 'question', 'second'])
  })
})

describe('messages that are queued while sending is paused', () => {
  it('are sent afterwards, many of them as one message that mentions all', async () => {
    const { url, received } = await startReceiver()
    const { begun, clock, deliver, deliverer } = makeDeliverer({
      channels: { team: { type: 'slack', url: `${url}/services/x` } },
    })
    deliverer.setPaused(true)
    const ids = ['one', 'two', 'three', 'four', 'five', 'six']
    const ended = ids.map((id) => deliver(id))
    expect([begun, deliverer.waiting]).toEqual([[], 6])
    clock.skippedMs = 2000
    deliverer.setPaused(false)
    const outcomes = await Promise.all(ended)
    expect(outcomes.map((one) => 'summary' in one && one.summary)).toEqual([
      false,
      ...Array(5).fill('one'),
    ])
    expect(received).toHaveLength(1)
    for (const id of ids) expect(received[0]?.body).toContain(`title of ${id}`)
  })

  it('become one message without those that are no longer worth sending', async () => {
    const { url, received } = await startReceiver()
    const { clock, deliver, deliverer } = makeDeliverer({
      channels: { team: { type: 'slack', url: `${url}/services/x` } },
    })
    deliverer.setPaused(true)
    const ended = ['one', 'two', 'answered', 'four', 'five', 'six'].map((id) => deliver(id))
    clock.skippedMs = 2000
    deliverer.setPaused(false)
    expect((await Promise.all(ended)).map(({ type }) => type)).toEqual([
      'delivered',
      'delivered',
      'expired',
      'delivered',
      'delivered',
      'delivered',
    ])
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toContain('and 4 more')
    expect(received[0]?.body).not.toContain('answered')
  })

  it('are prepared again when they are sent, except for the first 500', async () => {
    const { url, received } = await startReceiver()
    const team = { type: 'webhook', url, allowPrivateNetwork: true }
    const { deliver, deliverer } = makeDeliverer({ channels: { team } })
    deliverer.setPaused(true)
    const ended = Array.from({ length: 500 }, (_, index) => deliver(`${index}`, { expires: 1 }))
    const last = deliver('last')
    deliverer.setPaused(false)
    expect(await last).toMatchObject({ type: 'delivered' })
    expect(received.map(({ body }) => body.includes('title of last'))).toEqual([true])
    await Promise.all(ended)
  })

  it.each(['cannot be read again', 'have lost their channel'])(
    'do not block their destination if they %s',
    async (why) => {
      const { url } = await startReceiver()
      const channels = { team: { type: 'webhook', url, allowPrivateNetwork: true } }
      const { configure, deliver, deliverer } = makeDeliverer({ channels })
      deliverer.setPaused(true)
      // Beyond the first 500, messages are prepared again when they are sent.
      const before = why === 'cannot be read again' ? 500 : 0
      const kept = Array.from({ length: before }, (_, index) => deliver(`${index}`, { expires: 1 }))
      const failing = Array.from({ length: 8 }, (_, index) => deliver(`x${index}`, {}, true))
      if (before === 0) configure({ channels: { other: channels.team } })
      deliverer.setPaused(false)
      await Promise.all(kept)
      const types = (await Promise.all(failing)).map(({ type }) => type)
      expect(types).toEqual(Array(8).fill(before === 0 ? 'expired' : 'released'))
      configure({ channels })
      expect(await deliver('next')).toMatchObject({ type: 'delivered' })
    },
  )
})

describe('a destination that fails for the maximum age of an event', () => {
  it('gives up the messages that have waited that long, but not later ones', async () => {
    const { url } = await startReceiver({ script: [500] })
    const HOUR = 3600
    const { clock, deliver, deliverer } = makeDeliverer({
      channels: { team: { type: 'webhook', url, allowPrivateNetwork: true } },
      retry: { firstDelaySeconds: 12 * HOUR, maxDelaySeconds: 24 * HOUR, maxAgeHours: 24 },
    })
    expect(await deliver('first')).toMatchObject({ type: 'deferred' })
    const [second, third, old] = ['second', 'third', 'old'].map((id) => deliver(id))
    clock.skippedMs = 12 * HOUR * 1000
    const recent = deliver('recent')
    expect(await second).toMatchObject({ type: 'deferred' })
    expect(deliverer.waiting).toBe(3)
    clock.skippedMs = 36 * HOUR * 1000
    const last = deliver('last')
    expect(await third).toMatchObject({ type: 'deferred' })
    expect(await old).toMatchObject({
      type: 'exhausted',
      reason: expect.stringContaining('gave up after 24 hours in which nothing got through'),
    })
    expect(await recent).toMatchObject({ type: 'exhausted' })
    expect(deliverer.waiting).toBe(1)
    deliverer.releaseAll()
    expect(await last).toEqual({ type: 'released' })
  })
})

describe('a worker that ends on hold', () => {
  it('also releases a message that was still being prepared', async () => {
    const { deliver, deliverer } = makeDeliverer({
      channels: { team: { type: 'slack', url: (await startReceiver()).url } },
    })
    deliverer.setPaused(true)
    const before = deliver('queued')
    deliverer.releaseAll()
    expect(await before).toEqual({ type: 'released' })
    expect(await deliver('prepared')).toEqual({ type: 'released' })
  })
})

/** Deliveries that end without an attempt. */
const unattempted: [string, string, Partial<Delivery>][] = [
  ['was answered', 'answered', { kind: 'permission' }],
  ['has expired', 'old', { expires: 1 }],
]

describe('a message that is dropped without an attempt', () => {
  it.each(unattempted)(
    'because it %s does not count as a success of its destination',
    async (_, id, more) => {
      const { url } = await startReceiver({ script: [500] })
      const team = { type: 'webhook', url, allowPrivateNetwork: true }
      const { deliver } = makeDeliverer({ channels: { team } })
      await deliver('first')
      await deliver('second')
      expect(await deliver(id, more)).toMatchObject({ type: 'expired' })
      const startedAt = Date.now()
      const third = await deliver('third')
      // The third failure in a row: the delay was doubled twice.
      const delayMs = third.type === 'deferred' ? third.until - startedAt : 0
      expect(delayMs).toBeGreaterThanOrEqual(4 * FIRST_DELAY_MS)
    },
  )

  it.each(unattempted)('because it %s does not end the bypass of a hub', async (_, id, more) => {
    const [receiver, port] = [await startReceiver(), await refusedPort()]
    const { clock, deliver } = makeDeliverer({
      channels: { team: { type: 'webhook', url: receiver.url, allowPrivateNetwork: true } },
      hub: {
        ...{ url: `redis://127.0.0.1:${port}`, channels: ['team'] },
        ...{ after: 'direct', directAfterMinutes: 1 / 60 },
      },
    })
    await expect.poll(async () => (await deliver('first')).type).toBe('delivered')
    // After this time, the hub is tried again.
    clock.skippedMs = 100_000
    expect(await deliver(id, more)).toMatchObject({ type: 'expired' })
    expect(await deliver('next')).toMatchObject({ type: 'delivered' })
  })
})

describe('a hub that fails', () => {
  it('is tried again at the latest when messages may bypass it', async () => {
    const port = await refusedPort()
    const { deliver } = makeDeliverer({
      channels: { team: { type: 'webhook', url: 'https://receiver.example/' } },
      hub: {
        ...{ url: `redis://127.0.0.1:${port}`, channels: ['team'] },
        ...{ after: 'direct', directAfterMinutes: 1 },
      },
      retry: { firstDelaySeconds: 600 },
    })
    const before = Date.now()
    const failed = await deliver('first')
    const until = failed.type === 'deferred' ? failed.until : 0
    expect(until).toBeGreaterThan(before)
    expect(until).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  it('is tried again with the failed message before later ones', async () => {
    const [port, session] = [await refusedPort(), 'claude s1']
    const { begun, clock, deliver, deliverer } = makeDeliverer({
      channels: {},
      hub: { url: `redis://127.0.0.1:${port}`, channels: ['team'] },
      retry: { firstDelaySeconds: 600 },
    })
    expect(await deliver('first', { session })).toMatchObject({ type: 'deferred' })
    clock.skippedMs = 600_000
    const second = deliver('second', { session, acceptedAt: 2 })
    expect(deliverer.waiting).toBe(1)
    expect(await deliver('first', { session })).toMatchObject({ type: 'deferred' })
    expect(begun).toEqual(['first', 'first'])
    deliverer.releaseAll()
    expect(await second).toEqual({ type: 'released' })
  })

  it('is tried although the service to which messages bypass it has asked for a wait', async () => {
    const [{ url, received }, port] = [await startReceiver(), await refusedPort()]
    const { begun, deliver, deliverer } = makeDeliverer({
      channels: { team: { type: 'webhook', url, allowPrivateNetwork: true } },
      hub: {
        ...{ url: `redis://127.0.0.1:${port}`, channels: ['team'] },
        ...{ after: 'direct', directAfterMinutes: 1 / 60 },
      },
    })
    deliverer.block(['team', 'no such channel'].map((channel) => ({ channel, ms: 600_000 })))
    const bypasses = deliver('first', { firstTriedAt: 1 })
    await expect.poll(() => begun).toEqual(['first'])
    await expect.poll(() => deliverer.waiting).toBe(1)
    deliverer.releaseAll()
    expect(await bypasses).toEqual({ type: 'released' })
    expect(received).toEqual([])
  })

  it('releases a message that should bypass it if the configuration has no hub any more', async () => {
    const [{ url }, port] = [await startReceiver(), await refusedPort()]
    const channels = { team: { type: 'webhook', url, allowPrivateNetwork: true } }
    const { configure, deliver } = makeDeliverer({
      channels,
      hub: {
        ...{ url: `redis://127.0.0.1:${port}`, channels: ['team'] },
        ...{ after: 'direct', directAfterMinutes: 1 / 60 },
      },
      retry: { firstDelaySeconds: 600 },
    })
    expect(await deliver('old', { firstTriedAt: 1 })).toMatchObject({ type: 'delivered' })
    configure({ channels })
    expect(await deliver('next')).toEqual({ type: 'released' })
  })
})

describe('a destination with a minimum interval between messages', () => {
  it.each([
    ['delays another channel to it', '/services/x', 1],
    ['does not delay a channel to another destination', '/services/y', 0],
  ])('%s', async (_, path, waiting) => {
    const { url } = await startReceiver()
    const { clock, deliver, deliverer } = makeDeliverer({
      channels: {
        team: { type: 'slack', url: `${url}/services/x` },
        other: { type: 'slack', url: url + path },
      },
    })
    clock.isStopped = true
    const ended = [deliver('first'), deliver('second', { channel: 'other' })]
    expect(deliverer.waiting).toBe(waiting)
    deliverer.releaseAll()
    const sent = { type: 'delivered' }
    const second = waiting > 0 ? { type: 'released' } : sent
    expect(await Promise.all(ended)).toMatchObject([sent, second])
  })
})

describe('an attempt', () => {
  it('is aborted at its deadline', async () => {
    let signal: AbortSignal | undefined
    const never = withDeadline(1, (one) => {
      signal = one
      return new Promise(() => {})
    })
    await expect(never).rejects.toThrow('no answer within 0.001 s')
    expect(signal?.aborted).toBe(true)
  })

  it('that was aborted fails with the error of its notifier', async () => {
    const hanging = withDeadline(1, async (signal) => {
      await once(signal, 'abort')
      await nextTurn()
      throw new Error('it was killed')
    })
    await expect(hanging).rejects.toThrow('it was killed')
  })

  it('that fails with an unknown error is made again', () => {
    const deps = { now: Date.now, random: () => 1 }
    const failed = failedOutcome(makeDelivery('e1'), new TypeError('x'), builtInConfig(), deps)
    expect(failed).toMatchObject({ type: 'deferred', attempt: 1 })
  })
})

it('a delivery is kept in dead/ if not only its channel but the whole configuration file is gone', async () => {
  const clocks = { now: Date.now, random: () => 1, steadyNow: () => performance.now() }
  const deliverer = new Deliverer({ config: () => builtInConfig(), ...clocks })
  const delivery = makeDelivery('e1', { channel: 'team' })
  const outcome = await deliverer.deliver(delivery, async () => delivery)
  expect(outcome).toMatchObject({ type: 'exhausted', reason: 'no channel "team"' })
})

it('a deliverer that knows nothing of earlier messages sends each delivery as it is', async () => {
  const { url, received } = await startReceiver()
  const team = { type: 'webhook', url, allowPrivateNetwork: true }
  const secrets = { file: new Map(), env: {} }
  const text = JSON.stringify({ channels: { team } })
  const loaded = parseConfig(text, { path: 'config.json', secrets })
  const clocks = { now: Date.now, random: () => 1, steadyNow: () => performance.now() }
  const deliverer = new Deliverer({ config: () => loaded, ...clocks })
  const question = makeDelivery('e1', { channel: 'team', kind: 'permission' })
  const outcome = await deliverer.deliver(question, async () => question)
  expect(outcome).toMatchObject({ type: 'delivered', attempt: 1 })
  expect(received.map(({ body }) => JSON.parse(body).data.title)).toEqual(['title of e1'])
})
