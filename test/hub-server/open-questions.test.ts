import { describe, expect, it } from 'vitest'
import { answerOf } from '../../src/hub/record.ts'
import { closeQuestions, waitingSessions } from '../../src/hub-server/open-questions.ts'
import { makeDelivery } from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, handOverAnswer, runHub, toWebhook } from './_hub.ts'

const question = { kind: 'permission' } as const
const MINUTE_MS = 60_000

describe.skipIf(!hasRedis)('hub: the list of sessions that wait', () => {
  it('contains the unanswered questions of each session, the longest wait first', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runHub(redis, toWebhook(receiver.url))
    const titles = async () => (await waitingSessions(hub.open.redis)).map(({ title }) => title)
    const ago = (minutes: number) => ({ acceptedAt: Date.now() - minutes * MINUTE_MS })
    await handOver(redis, 'short', { ...question, ...ago(1), session: 'a', host: 'box-1' })
    await handOver(redis, 'long', { ...question, ...ago(9), session: 'b', host: 'box-2' })
    await handOver(redis, 'longer', { ...question, ...ago(20), session: 'b', host: 'box-2' })
    await handOver(redis, 'idle', { kind: 'waiting', ...ago(5), session: 'c' })
    await handOver(redis, 'done', { kind: 'done', ...ago(30), session: 'd' })
    const all = ['title of longer', 'title of idle', 'title of short']
    await expect.poll(titles).toEqual(all)
    const [first] = await waitingSessions(hub.open.redis)
    expect(first).toMatchObject({ host: 'box-2', kind: 'permission', more: 1 })
    await handOverAnswer(redis, { session: 'b', isForAll: false, questions: ['longer'] })
    await expect.poll(titles).toEqual(['title of long', 'title of idle', 'title of short'])
    await handOverAnswer(redis, { session: 'c', host: 'elsewhere' })
    await expect.poll(titles).toEqual(['title of long', 'title of short'])
    // A late duplicate does not open the question again.
    await handOver(redis, 'longer', { ...question, ...ago(20), session: 'b' })
    await handOverAnswer(redis, { session: 'a' })
    await expect.poll(titles).toEqual(['title of long'])
  })

  it('loses a session whose questions are answered at the same time', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runHub(redis, toWebhook(receiver.url))
    const events = ['one', 'two']
    for (const event of events) await handOver(redis, event, { ...question, session: 's' })
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(await redis.ask('ZCARD', 'hb:waiting')).toBe(1)
    const answers = events.map((event) =>
      answerOf({ host: '', session: 's', at: 0, isForAll: false, questions: [event] }, 0),
    )
    const now = { receivedAt: Date.now(), listedMs: 0 }
    await Promise.all(answers.map((answer) => closeQuestions({ ...now, answer }, hub.open.redis)))
    expect(await redis.ask('ZCARD', 'hb:waiting')).toBe(0)
  })

  it('stores a limited number of questions per session, and lets them expire', async () => {
    const redis = await startRedis()
    const hub = await runHub(redis, toWebhook('http://127.0.0.1:1'))
    const handOverMany = async (name: string) => {
      for (let index = 0; index < 40; index++)
        await handOver(redis, `${name}${index}`, { ...question, session: 's' })
      await expect.poll(() => redis.ask('LLEN', 'hb:in')).toBe(0)
    }
    const more = async () => (await waitingSessions(hub.open.redis))[0]?.more
    await handOverMany('first')
    await expect.poll(more).toBeGreaterThanOrEqual(29)
    const stored = await more()
    await handOverMany('second')
    expect(await more()).toBe(stored)
    const keys = (await redis.ask('KEYS', 'hb:open:*')) as string[]
    expect(Number(await redis.ask('TTL', keys[0] ?? ''))).toBeGreaterThan(0)
  })

  it('shows the text of a question, but no test message', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runHub(redis, toWebhook(receiver.url))
    const { message } = makeDelivery('test')
    await handOver(redis, 'test', { kind: 'waiting', message: { ...message, client: 'hookbell' } })
    await handOver(redis, 'asks', { ...question, message: { ...message, body: 'Bash:\n  ls' } })
    const texts = async () => (await waitingSessions(hub.open.redis)).map(({ text }) => text)
    await expect.poll(texts).toEqual(['Bash: ls'])
  })
})
