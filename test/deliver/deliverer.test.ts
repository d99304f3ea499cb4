import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
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
  const loaded = parseConfig(JSON.stringify({ retry, ...config }), { path: 'config.json', secrets })
  const clock = { skippedMs: 0 }
  const begun: string[] = []
  const deliverer = new Deliverer({
    config: () => loaded,
    now: Date.now,
    random: () => 1,
    steadyNow: () => performance.now() + clock.skippedMs,
    life: {
      begin(delivery, destination) {
        begun.push(...delivery.events)
        return unknownLife.begin(delivery, destination)
      },
      whyOver: async ({ events }) => (events[0] === 'answered' ? 'it was answered' : undefined),
    },
  })
  const deliver = async (event: string, more: Partial<Delivery> = {}) => {
    const delivery = makeDelivery(event, { channel: 'team', ...more })
    return await deliverer.deliver(delivery, async () => delivery)
  }
  return { begun, clock, deliver }
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

/** Deliveries that end without an attempt. */
const unattempted: [string, string, Partial<Delivery>][] = [
  ['was answered', 'answered', { kind: 'permission' }],
  ['has expired', 'old', { expires: 1 }],
]

describe('a message that is dropped without an attempt', () => {
  it.each(unattempted)('because it %s is no success of its destination', async (_, id, more) => {
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
  })

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
    // Then the hub is tried again.
    clock.skippedMs = 100_000
    expect(await deliver(id, more)).toMatchObject({ type: 'expired' })
    expect(await deliver('next')).toMatchObject({ type: 'delivered' })
  })
})
