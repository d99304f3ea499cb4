import { describe, expect, it } from 'vitest'
import { makeDelivery } from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, handOverAnswer, runHub, titlesOf, toWebhook } from './_hub.ts'

const question = { kind: 'permission', session: 's' } as const
const elsewhere = { host: 'elsewhere' }
const MINUTE_MS = 60_000

/** A hub whose list was seen to be empty, so that it knows when something came. */
async function runWatchingHub(...[redis, channels]: Parameters<typeof runHub>) {
  const hub = await runHub(redis, channels)
  const receivedBefore = hub.lines.length
  await handOver(redis, 'warm-up', { kind: 'other' })
  await expect.poll(() => hub.lines.length, { timeout: 20_000 }).toBeGreaterThan(receivedBefore)
  return hub
}

describe.skipIf(!hasRedis)('hub: answers', () => {
  it('a question that was answered while the hub was down is not told', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await handOver(redis, 'asks', question)
    await handOverAnswer(redis, { questions: ['asks'] })
    await handOver(redis, 'asks-again', question)
    const hub = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => hub.states('answered'), { timeout: 20_000 }).toHaveLength(1)
    expect(hub.states('answered')[0]).toMatchObject({ reason: 'answered before it was told' })
    await expect.poll(() => titlesOf(receiver)).toEqual(['asks-again'])
  })

  it('a later step of a question that was answered on another machine is not told', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runWatchingHub(redis, toWebhook(receiver.url))
    await handOverAnswer(redis, { ...elsewhere, at: Date.now() - MINUTE_MS })
    await handOver(redis, 'step', { ...question, acceptedAt: Date.now() - 2 * MINUTE_MS })
    await handOver(redis, 'other-session', { ...question, session: 'other' })
    await expect.poll(() => hub.states('answered').length, { timeout: 20_000 }).toBe(1)
    await expect.poll(() => titlesOf(receiver)).toEqual(['warm-up', 'other-session'])
  })

  it('a question that was asked after the answer is told', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await runWatchingHub(redis, toWebhook(receiver.url))
    await handOverAnswer(redis, { ...elsewhere, at: Date.now() - 2 * MINUTE_MS })
    await handOver(redis, 'asks', { ...question, acceptedAt: Date.now() - MINUTE_MS })
    await expect.poll(() => titlesOf(receiver), { timeout: 20_000 }).toEqual(['warm-up', 'asks'])
  })

  it('a question is told where nobody knows whether the answer of another machine was later', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    // How long both were in the list is not known to a hub that starts.
    await handOverAnswer(redis, elsewhere)
    await handOver(redis, 'asks', { ...question, acceptedAt: Date.now() - MINUTE_MS })
    await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => titlesOf(receiver), { timeout: 20_000 }).toEqual(['asks'])
  })

  it('what waits for its destination is dropped when the answer comes', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({
      script: [{ status: 429, headers: { 'retry-after': '3' } }, 200],
    })
    const hub = await runHub(redis, toWebhook(receiver.url))
    await handOver(redis, 'asks', question)
    await expect.poll(() => hub.states('deferred'), { timeout: 20_000 }).toHaveLength(1)
    await handOverAnswer(redis, { questions: ['asks'] })
    await expect.poll(() => hub.states('answered'), { timeout: 20_000 }).toHaveLength(1)
    expect(receiver.received).toHaveLength(1)
  })

  it('a question that is shown is withdrawn, and others of its session are not', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({
      script: [
        ({ body }) => {
          const { sequence_id = '' } = JSON.parse(body || '{}')
          return { body: JSON.stringify({ id: 'x1', event: 'message', sequence_id }) }
        },
      ],
    })
    const hub = await runHub(redis, { team: { type: 'ntfy', server: receiver.url, topic: 'me' } })
    for (const event of ['one', 'two'])
      await handOver(redis, event, {
        ...question,
        message: { ...makeDelivery(event).message, id: event },
      })
    await expect.poll(() => hub.states('delivered'), { timeout: 20_000 }).toHaveLength(2)
    await handOverAnswer(redis, { isForAll: false, questions: ['one'] })
    await expect.poll(() => hub.states('withdrawn'), { timeout: 20_000 }).toHaveLength(1)
    expect(receiver.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE'])
    const { sequence_id } = JSON.parse(receiver.received[0]?.body ?? '{}')
    expect(receiver.received[2]?.path).toBe(`/me/${sequence_id}`)
  })
})
