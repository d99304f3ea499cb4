import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { recordId } from '../../src/hub/record.ts'
import { MemoryGuard } from '../../src/hub-server/redis.ts'
import { Router } from '../../src/hub-server/router.ts'
import { TAKE } from '../../src/hub-server/scripts.ts'
import { startFakeRedis } from '../support/fake-redis.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver } from './_hub.ts'

type Redis = Awaited<ReturnType<typeof startRedis>>

/** A router whose queue keeps each batch until the test calls `letGo`. */
function startRouter(redis: Redis) {
  const connection = new RedisConnection(
    { url: redis.url(), allowUnencrypted: false },
    { maxReplyBytes: 8_000_000 },
  )
  const batches: string[][] = []
  let letGo = () => {}
  const router = new Router({
    redis: connection,
    memory: new MemoryGuard(connection),
    noteAnswer: async () => {},
    now: Date.now,
    onRefused: () => {},
    onProblem: () => {},
    enqueue: (records) => {
      batches.push(records.map(({ id }) => id))
      return new Promise((resolve) => {
        letGo = resolve
      })
    },
  })
  const run = router.run()
  onTestFinished(async () => {
    router.stop()
    letGo()
    await run
    connection.close()
  })
  return { batches, letGo: () => letGo(), stop: () => router.stop() }
}

const taken = async (redis: Redis) =>
  ((await redis.ask('LRANGE', 'hb:taken', '0', '-1')) as string[]).map((one) => JSON.parse(one).id)

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => recordId([`e${from + index}`], 'team'))

it.each(['+OK', ':1', '$3\r\nabc', '*1\r\n:1', '*1\r\n-ERR no'])(
  'hub: the router takes no records from the reply %j, and reports it',
  async (reply) => {
    const { url } = await startFakeRedis(([name, script]) => {
      if (name === 'INFO') return '$11\r\nmaxmemory:0\r\n'
      return script === TAKE ? `${reply}\r\n` : ':1\r\n'
    })
    const connection = new RedisConnection({ url, allowUnencrypted: false })
    const problems: string[] = []
    let enqueued = 0
    const router = new Router({
      redis: connection,
      memory: new MemoryGuard(connection),
      noteAnswer: async () => {},
      now: Date.now,
      onRefused: () => {},
      onProblem: (error) => problems.push(String(error)),
      enqueue: async () => {
        enqueued += 1
      },
    })
    const run = router.run()
    onTestFinished(async () => {
      router.stop()
      await run
      connection.close()
    })
    await expect.poll(() => problems[0]).toContain('does not speak the protocol of Redis')
    expect(enqueued).toBe(0)
  },
)

describe.skipIf(!hasRedis)('hub: the router', () => {
  it('does not remove the records of another router after it was suspended', async () => {
    const redis = await startRedis()
    for (let index = 0; index < 250; index++) await handOver(redis, `e${index}`)
    const first = startRouter(redis)
    await expect.poll(() => first.batches).toEqual([ids(0, 100)])
    // As after 10 s in which the first router did not run and its lease expired.
    await redis.ask('DEL', 'hb:router')
    const second = startRouter(redis)
    await expect.poll(() => second.batches).toEqual([ids(0, 100)])
    second.letGo()
    await expect.poll(() => second.batches).toEqual([ids(0, 100), ids(100, 200)])
    // The second router keeps the lease, even on a slow machine.
    await redis.ask('PERSIST', 'hb:router')
    first.letGo()
    // Once it has called Redis again, its attempt to remove the batch is over.
    const asked = async () =>
      String(await redis.ask('INFO', 'commandstats')).match(/eval:calls=(\d+)/)?.[1]
    const before = Number(await asked())
    await expect.poll(async () => Number(await asked())).toBeGreaterThan(before + 2)
    expect(await taken(redis)).toEqual(ids(100, 200))
    expect(first.batches).toHaveLength(1)
    // A crash of the second router does not lose the records either.
    await redis.ask('DEL', 'hb:router')
    const third = startRouter(redis)
    await expect.poll(() => third.batches).toEqual([ids(100, 200)])
    third.letGo()
    await expect.poll(() => third.batches).toEqual([ids(100, 200), ids(200, 250)])
  })
})

it('hub: a router that is stopped does not repeat a call that failed', async () => {
  let calls = 0
  const redis = new (class extends RedisConnection {
    override call() {
      calls += 1
      return Promise.reject(new Error('no answer'))
    }
  })({ url: 'redis://127.0.0.1:1', allowUnencrypted: false })
  const router = new Router({
    ...{ redis, memory: new MemoryGuard(redis), now: Date.now },
    ...{ noteAnswer: async () => {}, enqueue: async () => {}, onRefused: () => {} },
    onProblem: () => router.stop(),
  })
  await router.run()
  expect(calls).toBe(1)
})
