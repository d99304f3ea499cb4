import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { recordOf } from '../../src/hub/record.ts'
import { loadBullmq, openShared } from '../../src/hub-server/bullmq.ts'
import { HubDestinationQueue } from '../../src/hub-server/destination-queue.ts'
import { hubQueues } from '../../src/hub-server/destinations.ts'
import { connectionOf } from '../../src/hub-server/run.ts'
import { makeDelivery } from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { hubConfig } from './_hub.ts'

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
      ...{ onTold: (_, { type }) => states.push(type), onWithdrawn: () => {}, onProblem: () => {} },
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
