import { describe, expect, it } from 'vitest'
import { makeDelivery } from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, runHub } from './_hub.ts'

type Redis = Awaited<ReturnType<typeof startRedis>>
const MESSAGE = 'x'.repeat(12_000)

/** Hands over until Redis refuses. @returns the accepted events and the reason of the refusal */
async function fill(redis: Redis, name: string) {
  const taken: string[] = []
  for (;;) {
    const event = `${name}${taken.length}`
    const why = await tryHandOver(redis, event)
    if (why !== 'taken') return { taken, why }
    taken.push(event)
  }
}

/** @returns "taken" or the reason of the refusal */
async function tryHandOver(redis: Redis, event: string): Promise<string> {
  const { message } = makeDelivery(event)
  const whole = { message: { ...message, body: MESSAGE } }
  return await handOver(redis, event, whole).then(
    () => 'taken',
    ({ message: text }) => text,
  )
}

describe.skipIf(!hasRedis)('hub: a full Redis', () => {
  it('accepts records again after the hub has delivered what was stored', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '10mb'] })
    const receiver = await startReceiver()
    const channels = { team: { type: 'webhook', url: receiver.url, allowPrivateNetwork: true } }
    const before = await runHub(redis, channels)
    await expect.poll(() => redis.ask('EXISTS', 'hb:reserve')).toBe(1)
    await before.stop()
    const { taken, why } = await fill(redis, 'e')
    expect(why).toBe('hub: the hub is full: its Redis has reached maxmemory')
    await runHub(redis, channels)
    const told = () =>
      new Set(receiver.received.map(({ body }) => body.match(/title of (\w+)/)?.[1]))
    expect(await tryHandOver(redis, 'early')).toBe(
      'hub: the hub takes nothing now: its Redis is almost full',
    )
    await expect
      .poll(() => tryHandOver(redis, 'late'), { timeout: 60_000, interval: 200 })
      .toBe('taken')
    await expect.poll(() => told().size, { timeout: 60_000 }).toBe(taken.length + 1)
    expect([...told()].at(-1)).toBe('late')
  })
})
