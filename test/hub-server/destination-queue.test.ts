import { describe, expect, it, onTestFinished } from 'vitest'
import type { Delivery } from '../../src/delivery.ts'
import { RedisConnection } from '../../src/hub/connection.ts'
import { recordOf } from '../../src/hub/record.ts'
import { loadBullmq, openShared } from '../../src/hub-server/bullmq.ts'
import { HubDestinationQueue } from '../../src/hub-server/destination-queue.ts'
import { hubQueues } from '../../src/hub-server/destinations.ts'
import { connectionOf } from '../../src/hub-server/run.ts'
import { makeDelivery } from '../support/delivery.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { asUser, handOver, hubConfig, runHub, toWebhook, users } from './_hub.ts'

/** A connection whose first calls fail. */
class BrokenAtFirst extends RedisConnection {
  left = 2
  override call(...words: string[]) {
    if (this.left === 0) return super.call(...words)
    this.left -= 1
    return Promise.reject(new Error('the connection was closed'))
  }
}

describe.skipIf(!hasRedis)('hub: the queue of a destination', () => {
  it('keeps a message when the first Redis calls fail', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const webhook = { type: 'webhook', url: receiver.url, allowPrivateNetwork: true }
    const loaded = hubConfig(redis, { team: webhook })
    const connection = connectionOf(loaded)
    const broken = new BrokenAtFirst(connection)
    const working = new RedisConnection(connection)
    for (const one of [broken, working]) onTestFinished(() => one.close())
    const { shared, close } = openShared(connection, () => {})
    onTestFinished(close)
    const states: string[] = []
    const [own] = await hubQueues(loaded, working)
    const queue = new HubDestinationQueue(own as never, {
      ...{ bullmq: loadBullmq(), redis: broken, loaded, now: Date.now },
      connection: shared,
      ...{ onSent: (_, { type }) => states.push(type), onWithdrawn: () => {}, onProblem: () => {} },
      onDeadChannel: () => {},
    })
    await queue.start()
    onTestFinished(() => queue.close())
    const delivery = makeDelivery('one', { channel: 'team' })
    await queue.add([recordOf(delivery, delivery.message as never, Date.now())], Date.now())
    await expect.poll(() => states).toEqual(['delivered'])
    expect(receiver.received).toHaveLength(1)
    expect(broken.left).toBe(0)
  })
})

const quick = { retry: { firstDelaySeconds: 0.05, maxDelaySeconds: 0.2 } }

/** A hub whose receiver refuses some texts. `asked` lists the texts of all requests, `taken` the accepted ones. */
async function startPicky(refuse: (text: string) => object | undefined, channel?: object) {
  const [asked, taken]: [string[], string[]] = [[], []]
  const answer = ({ body }: Received) => {
    const titles = [...body.matchAll(/title of ([\w-]+)/g)].map(([, title]) => title)
    const text = [...new Set(titles)].join(' ')
    const refusal = refuse(text)
    asked.push(text)
    if (!refusal) taken.push(text)
    return refusal ?? { body: 'ok' }
  }
  const redis = asUser(await startRedis({ users }), 'hub')
  const { url } = await startReceiver({ script: [answer] })
  const channels = channel ? { team: { ...channel, url } } : toWebhook(url)
  return {
    ...{ asked, taken },
    start: () => runHub(redis, channels, quick),
    /** Hands over messages, whose sessions are the first letters of their titles. */
    async add(events: readonly string[], changes: Partial<Delivery> = {}) {
      for (const event of events)
        await handOver(redis, event, { session: event.slice(0, 1), ...changes })
    },
  }
}

describe.skipIf(!hasRedis)('hub: a message that is refused while others are accepted', () => {
  it('is overtaken by other sessions, but not by its own', async () => {
    const bad = ['a1', 'c1']
    const { taken, start, add } = await startPicky((title) =>
      bad.includes(title) ? { status: 500 } : undefined,
    )
    await add(['a1', 'a2', 'b1', 'c1', 'c2', 'b2', 'd1'])
    await start()
    await expect.poll(() => taken).toEqual(['b1', 'b2', 'd1'])
    await add(['e1'])
    await expect.poll(() => taken.at(-1)).toBe('e1')
    bad.splice(0)
    await expect.poll(() => taken).toHaveLength(8)
    expect(taken.slice(4)).toEqual(['a1', 'a2', 'c1', 'c2'])
  })

  it('is overtaken by the permission questions of other sessions first', async () => {
    const { taken, start, add } = await startPicky((title) =>
      title === 'a1' ? { status: 500 } : undefined,
    )
    await add(['a1', 'b1'])
    await add(['c1'], { kind: 'permission' })
    await start()
    await expect.poll(() => taken).toEqual(['c1', 'b1'])
  })

  it('is overtaken by a summary without the later messages of its session', async () => {
    const others = ['b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1']
    const { taken, start, add } = await startPicky(
      (text) => (/\ba1\b/.test(text) ? { status: 500 } : undefined),
      { type: 'slack' },
    )
    await add(['a1', 'a2', ...others])
    const hub = await start()
    await expect.poll(() => hub.states('summarized')).toHaveLength(others.length - 1)
    expect(taken).toEqual([others.join(' ')])
    expect(hub.states('repeat')).toEqual([])
  })

  it('is overtaken by one attempt of a message that is refused for good, which becomes dead in its turn', async () => {
    let isBad = true
    const { asked, taken, start, add } = await startPicky((title) => {
      if (title === 'b1') return { status: 400 }
      return isBad && title === 'a1' ? { status: 500 } : undefined
    })
    await add(['a1', 'b1', 'b2', 'c1'])
    const hub = await start()
    const timesOf = (title: string) => asked.filter((one) => one === title).length
    await expect.poll(() => timesOf('a1')).toBeGreaterThan(8)
    expect([timesOf('b1'), taken]).toEqual([1, ['c1']])
    isBad = false
    await expect.poll(() => taken).toEqual(['c1', 'a1', 'b2'])
    expect(timesOf('b1')).toBe(2)
    expect(hub.states('problem')).toEqual([])
  })
})

describe.skipIf(!hasRedis)('hub: a destination', () => {
  it('that is down gets few requests, however many sessions wait', async () => {
    const { asked, start, add } = await startPicky(() => ({ status: 503 }))
    await add([...'abcdefghij'])
    await start()
    await expect.poll(() => asked.filter((title) => title === 'a').length).toBeGreaterThan(8)
    for (const between of asked.join('').split('a')) expect(between.length).toBeLessThanOrEqual(2)
  })

  it('that sends Retry-After gets no message before that time', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '1' } }
    const { asked, start, add } = await startPicky((title) => (title === 'a' ? refusal : undefined))
    await add(['a', 'b'])
    await start()
    await expect.poll(() => asked.length).toBeGreaterThan(6)
    expect(asked).not.toContain('b')
  })
})
