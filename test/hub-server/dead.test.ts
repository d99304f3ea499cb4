import { describe, expect, it } from 'vitest'
import { actOnDead, deadInHub } from '../../src/hub-server/dead.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, runHub, titlesOf, toWebhook } from './_hub.ts'

const HOUR_MS = 3600_000
const twice = { retry: { maxAttempts: 2, firstDelaySeconds: 0.05, maxDelaySeconds: 0.1 } }

describe.skipIf(!hasRedis)('hub: what was given up', () => {
  it('is told once a person wants it, with all its attempts and however old it is', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({ script: [503, 503, 503, 200] })
    const hub = await runHub(redis, toWebhook(receiver.url), twice)
    await handOver(redis, 'one', { expires: Date.now() + HOUR_MS })
    await expect.poll(() => hub.states('exhausted')).toHaveLength(1)
    const [queue] = hub.open.queues.map((one) => one.queue)
    await expect.poll(async () => (await queue?.getFailed())?.length).toBe(1)
    const [job] = (await queue?.getFailed()) ?? []
    // A day goes by.
    await job?.updateData({ ...job.data, receivedAt: job.data.receivedAt - 24 * HOUR_MS })
    expect(await actOnDead(hub.open, 'retry')).toBe(1)
    await expect.poll(() => hub.states('delivered')).toMatchObject([{ attempt: 2 }])
    expect(titlesOf(receiver)).toEqual(['one', 'one', 'one', 'one'])
    expect(hub.states('exhausted')).toHaveLength(1)
  })

  it('is told in the order in which it came', async () => {
    const events = ['a', 'b', 'c', 'd', 'e']
    const script = [...events.map(() => 404), 200]
    const [redis, receiver] = [await startRedis(), await startReceiver({ script })]
    const hub = await runHub(redis, toWebhook(receiver.url))
    for (const event of events) await handOver(redis, event, { session: 's' })
    await expect.poll(() => hub.states('exhausted')).toHaveLength(events.length)
    await expect.poll(async () => (await deadInHub(hub.open)).length).toBe(events.length)
    expect(await actOnDead(hub.open, 'retry')).toBe(events.length)
    await expect.poll(() => titlesOf(receiver)).toEqual([...events, ...events])
  })
})
