import type { Queue } from 'bullmq'
import { describe, expect, it } from 'vitest'
import { PREFIX } from '../../src/hub/keys.ts'
import { loadBullmq } from '../../src/hub-server/bullmq.ts'
import { actOnDead, deadInHub } from '../../src/hub-server/dead.ts'
import { flushHub } from '../../src/hub-server/flush.ts'
import type { OpenHub } from '../../src/hub-server/status.ts'
import { whereaboutsOf } from '../../src/hub-server/why.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { never, startGreylisted } from './_greylisted.ts'
import { handOver, runHub, titlesOf, toWebhook } from './_hub.ts'

const HOUR_MS = 3600_000
const twice = { retry: { maxAttempts: 2, firstDelaySeconds: 0.05, maxDelaySeconds: 0.1 } }

/** Makes a delayed job fail, as BullMQ does after one hub after the other was killed while it processed the job. */
async function killDelayed({ queues }: OpenHub) {
  const { queue } = queues[0] as { queue: Queue }
  const { Worker } = loadBullmq()
  const worker = new Worker(queue.name, null, { connection: queue.opts.connection, prefix: PREFIX })
  for (const job of await queue.getDelayed()) await job.promote()
  const job = await worker.getNextJob('token')
  await job?.moveToFailed(new Error('stalled'), 'token')
  await worker.close()
}

/** Starts with a mail that one of two recipients got, and whose retry for the other one is dead. */
async function startDeadRetry() {
  const mails = await startGreylisted()
  const before = await mails.start(never)
  const id = await mails.handOver('first')
  await expect.poll(() => before.states('delivered')).toHaveLength(1)
  await before.stop()
  await mails.open(killDelayed)
  return { ...mails, id }
}

describe.skipIf(!hasRedis)('hub: a dead message', () => {
  it('is sent again when a person asks for it, with all its attempts and however old it is', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({ script: [503, 503, 503, 200] })
    const hub = await runHub(redis, toWebhook(receiver.url), twice)
    await handOver(redis, 'one', { expires: Date.now() + HOUR_MS })
    await expect.poll(() => hub.states('exhausted')).toHaveLength(1)
    const [queue] = hub.open.queues.map((one) => one.queue)
    await expect.poll(async () => (await queue?.getFailed())?.length).toBe(1)
    const [job] = (await queue?.getFailed()) ?? []
    // Makes the message a day older.
    await job?.updateData({ ...job.data, receivedAt: job.data.receivedAt - 24 * HOUR_MS })
    expect(await actOnDead(hub.open, 'retry')).toBe(1)
    await expect.poll(() => hub.states('delivered')).toMatchObject([{ attempt: 2 }])
    expect(titlesOf(receiver)).toEqual(['one', 'one', 'one', 'one'])
    expect(hub.states('exhausted')).toHaveLength(1)
  })

  it('is sent again in its original place in the order', async () => {
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

  it('is found by its id if only some recipients have not received it, and is sent to them', async () => {
    const { state, start, open, id, whoGot } = await startDeadRetry()
    await open(async (hub) => {
      expect(await deadInHub(hub)).toMatchObject([{ id, channel: 'team', reason: 'stalled' }])
      expect(await actOnDead(hub, 'retry', id)).toBe(1)
    })
    // The retry has all its attempts again.
    const hub = await start({ retry: { ...never.retry, maxAttempts: 2 } })
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    state.isRefusing = false
    await flushHub(hub.open)
    await expect.poll(() => whoGot('first')).toEqual(['old@x.test', 'new@x.test'])
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
    expect(await deadInHub(hub.open)).toEqual([])
  })

  it('counts as delivered, not as dropped, if only some recipients lack it', async () => {
    const { open, id } = await startDeadRetry()
    await open(async (hub) => {
      expect(await actOnDead(hub, 'drop', id)).toBe(1)
      expect(await deadInHub(hub)).toEqual([])
      expect(await whereaboutsOf(hub, id)).toMatchObject([{ state: 'delivered' }])
    })
  })
})
