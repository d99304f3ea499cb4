import { describe, expect, it } from 'vitest'
import { makeDelivery } from '../support/delivery.ts'
import { holdAnswer, type Step, startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { asUser, handOver, handOverAnswer, runHub, titlesOf, toWebhook, users } from './_hub.ts'

const question = { kind: 'permission', session: 's' } as const
const elsewhere = { host: 'elsewhere' }
const MINUTE_MS = 60_000
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

/** A hub that has seen its list empty, so that it can determine when a record arrived. */
async function runWatchingHub(...[redis, channels]: Parameters<typeof runHub>) {
  const hub = await runHub(redis, channels)
  const receivedBefore = hub.lines.length
  await handOver(redis, 'warm-up', { kind: 'other' })
  await expect.poll(() => hub.lines.length).toBeGreaterThan(receivedBefore)
  return hub
}

const accepted: Step = ({ body }) => {
  const { sequence_id = '' } = JSON.parse(body || '{}')
  return { body: JSON.stringify({ id: 'x1', event: 'message', sequence_id }) }
}

/** An ntfy server, and the channels of a hub that sends to it. @param script the steps before it accepts everything */
async function startNtfy(script: Step[] = []) {
  const receiver = await startReceiver({ script: [...script, accepted] })
  return { receiver, channels: { team: { type: 'ntfy', server: receiver.url, topic: 'me' } } }
}

describe.skipIf(!hasRedis)('hub: a hub that receives answers', () => {
  it('does not deliver a question that was answered while the hub was down', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await handOver(redis, 'asks', question)
    await handOverAnswer(redis, { questions: ['asks'] })
    await handOver(redis, 'asks-again', question)
    const hub = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => hub.states('answered')).toHaveLength(1)
    expect(hub.states('answered')[0]).toMatchObject({ reason: 'answered before it was told' })
    await expect.poll(() => titlesOf(receiver)).toEqual(['asks-again'])
  })

  it('does not deliver a later step of a question that was answered on another machine', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runWatchingHub(redis, toWebhook(receiver.url))
    await handOverAnswer(redis, { ...elsewhere, at: Date.now() - MINUTE_MS })
    await handOver(redis, 'step', { ...question, acceptedAt: Date.now() - 2 * MINUTE_MS })
    await handOver(redis, 'other-session', { ...question, session: 'other' })
    await expect.poll(() => hub.states('answered').length).toBe(1)
    await expect.poll(() => titlesOf(receiver)).toEqual(['warm-up', 'other-session'])
  })

  it('delivers a question that was asked after the answer', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await runWatchingHub(redis, toWebhook(receiver.url))
    await handOverAnswer(redis, { ...elsewhere, at: Date.now() - 2 * MINUTE_MS })
    await handOver(redis, 'asks', { ...question, acceptedAt: Date.now() - MINUTE_MS })
    await expect.poll(() => titlesOf(receiver)).toEqual(['warm-up', 'asks'])
  })

  it('delivers a question if it is unknown whether an answer of another machine came later', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    // A hub that starts cannot determine how long both records have been in the list.
    await handOverAnswer(redis, elsewhere)
    await handOver(redis, 'asks', { ...question, acceptedAt: Date.now() - MINUTE_MS })
    await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => titlesOf(receiver)).toEqual(['asks'])
  })

  it('drops a question that waits for a retry when the answer arrives', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({
      script: [{ status: 429, headers: { 'retry-after': '3' } }, 200],
    })
    const hub = await runHub(redis, toWebhook(receiver.url))
    await handOver(redis, 'asks', question)
    await expect.poll(() => hub.states('deferred')).toHaveLength(1)
    await handOverAnswer(redis, { questions: ['asks'] })
    await expect.poll(() => hub.states('answered')).toHaveLength(1)
    expect(receiver.received).toHaveLength(1)
  })

  it('withdraws the end of a turn that asks something when its session goes on', async () => {
    const redis = await startRedis()
    const { receiver, channels } = await startNtfy()
    const hub = await runWatchingHub(redis, channels)
    const message = { ...makeDelivery('one').message, id: 'one', asks: true }
    await handOver(redis, 'one', { session: 's', acceptedAt: Date.now() - MINUTE_MS, message })
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
    // A one-shot run ends its session right after its turn, which answers nothing.
    await handOverAnswer(redis, { at: Date.now() - MINUTE_MS + 2000 })
    await handOver(redis, 'two')
    await expect.poll(() => hub.states('delivered')).toHaveLength(3)
    expect(hub.states('withdrawn')).toHaveLength(0)
    await handOverAnswer(redis, { at: Date.now() })
    await expect.poll(() => hub.states('withdrawn')).toHaveLength(1)
    const methods = receiver.received.map(({ method }) => method)
    expect(methods).toEqual(['POST', 'POST', 'POST', 'DELETE'])
  })

  it('withdraws a displayed question when it is answered, but no other question of its session', async () => {
    const redis = await startRedis()
    const { receiver, channels } = await startNtfy()
    const hub = await runHub(redis, channels)
    for (const event of ['one', 'two'])
      await handOver(redis, event, {
        ...question,
        message: { ...makeDelivery(event).message, id: event },
      })
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
    await handOverAnswer(redis, { isForAll: false, questions: ['one'] })
    await expect.poll(() => hub.states('withdrawn')).toHaveLength(1)
    expect(receiver.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE'])
    const { sequence_id } = JSON.parse(receiver.received[0]?.body ?? '{}')
    expect(receiver.received[2]?.path).toBe(`/me/${sequence_id}`)
  })

  it('withdraws a question that may be displayed although no response to it arrived', async () => {
    const redis = await startRedis()
    const { receiver, channels } = await startNtfy(['reset'])
    const hub = await runHub(redis, channels, { retry: { firstDelaySeconds: 3600 } })
    await handOver(redis, 'asks', question)
    await expect.poll(() => hub.states('deferred')).toHaveLength(1)
    await handOverAnswer(redis, { questions: ['asks'] })
    await expect.poll(() => hub.states('withdrawn')).toHaveLength(1)
    const { sequence_id } = JSON.parse(receiver.received[0]?.body ?? '{}')
    expect(receiver.received[1]).toMatchObject({ method: 'DELETE', path: `/me/${sequence_id}` })
  })

  it('withdraws a question at the next answer if its receiver was down at the first one', async () => {
    const redis = await startRedis()
    const { receiver, channels } = await startNtfy([accepted, 503])
    const hub = await runHub(redis, channels)
    await handOver(redis, 'asks', question)
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    await handOverAnswer(redis, { questions: ['asks'] })
    await expect.poll(() => receiver.received.length).toBe(2)
    await expect.poll(() => redis.ask('KEYS', 'hb:shown:*')).toHaveLength(1)
    await handOverAnswer(redis, { questions: ['asks'] })
    await expect.poll(() => hub.states('withdrawn')).toHaveLength(1)
  })

  it.each([
    ['of several sessions when one of them goes on', 'other'],
    ['of one session when its first message is answered', 's'],
  ])('does not withdraw a summary %s', async (_, session) => {
    const redis = await startRedis()
    const { receiver, channels } = await startNtfy([503])
    const hub = await runHub(redis, channels, { retry: { firstDelaySeconds: 5 } })
    const message = { ...makeDelivery('first').message, asks: true }
    await handOver(redis, 'first', { session: 's', message, acceptedAt: Date.now() - MINUTE_MS })
    await handOverAnswer(redis, { questions: ['first'] })
    for (const event of numbers(5)) await handOver(redis, event, { session })
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    expect(JSON.parse(receiver.received[1]?.body ?? '{}').title).toMatch(/and 5 more$/)
    expect(await redis.ask('KEYS', 'hb:shown:*')).toEqual([])
  })

  it('does not replace an open question, and withdraws each question that is answered', async () => {
    const started = await startRedis({ users })
    const [machine, redis] = [asUser(started, 'machine'), asUser(started, 'hub')]
    const { receiver, channels } = await startNtfy()
    const hub = await runHub(redis, { team: { ...channels.team, replace: true } })
    for (const event of ['one', 'two']) await handOver(machine, event, question)
    await handOver(machine, 'three', { session: 's' })
    await expect.poll(() => hub.states('delivered')).toHaveLength(3)
    const [one, two, three] = receiver.received.map(({ body }) => JSON.parse(body).sequence_id)
    expect(new Set([one, two, three]).size).toBe(3)
    for (const event of ['one', 'two'])
      await handOverAnswer(machine, { isForAll: false, questions: [event] })
    await expect.poll(() => hub.states('withdrawn')).toHaveLength(2)
    const paths = receiver.received.slice(3).map(({ path }) => path)
    expect(paths.sort()).toEqual([`/me/${one}`, `/me/${two}`].sort())
    await handOver(machine, 'four', { session: 's' })
    await expect.poll(() => hub.states('delivered')).toHaveLength(4)
    // No question is open any more, so this message replaces the first one.
    expect(JSON.parse(receiver.received[5]?.body ?? '{}').sequence_id).toBe(one)
  })

  it('does not replace a question while it is being withdrawn', async () => {
    const redis = await startRedis()
    const withdrawal = holdAnswer()
    const { receiver, channels } = await startNtfy([accepted, withdrawal.step, accepted])
    const hub = await runHub(redis, { team: { ...channels.team, replace: true } })
    await handOver(redis, 'one', question)
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    await handOverAnswer(redis, { questions: ['one'] })
    await expect.poll(() => receiver.received.length).toBe(2)
    await handOver(redis, 'two', { session: 's' })
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
    const [one, , two] = receiver.received.map(({ body }) => body && JSON.parse(body).sequence_id)
    expect(two).not.toBe(one)
    withdrawal.give()
  })
})
