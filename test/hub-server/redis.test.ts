import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { aclLines } from '../../src/hub/keys.ts'
import { checkRestart, MemoryGuard } from '../../src/hub-server/redis.ts'
import { makeDelivery } from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, runHub, titlesOf, toWebhook } from './_hub.ts'

/** The warnings of hubs that start before and after a restart of Redis. */
async function warningsWith(first: string) {
  const users = [first, ...aclLines.slice(1)].map((line) => line.replace(/>\w+/, '>secret'))
  const redis = await startRedis({ users })
  const check = async () => {
    const connection = new RedisConnection({
      ...{ url: redis.url('hub'), password: 'secret', allowUnencrypted: false },
    })
    onTestFinished(() => connection.close())
    return await checkRestart(connection)
  }
  const before = [await check(), await check()]
  await redis.stop('SIGKILL')
  await redis.start()
  return [...before, await check(), await check()]
}

describe.skipIf(!hasRedis)('hub: a restarted Redis', () => {
  it('leads to a single warning if Redis could not restore the writes of scripts', async () => {
    const told = [expect.stringContaining('Redis forgot at its last start')]
    expect(await warningsWith('user default off')).toEqual([[], [], told, []])
  })

  it('leads to no warning with the users of hookbell hub acl', async () => {
    expect(await warningsWith(aclLines[0] ?? '')).toEqual([[], [], [], []])
  })
})

type Redis = Awaited<ReturnType<typeof startRedis>>

const MESSAGE = 'x'.repeat(12_000)

/** Without syncs, because hundreds of messages are stored and removed, each of which would need several. */
const FULL_SOON = ['--maxmemory', '10mb', '--appendfsync', 'no']

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

function connectionTo(redis: Redis) {
  const connection = new RedisConnection({ url: redis.url(), allowUnencrypted: false })
  onTestFinished(() => connection.close())
  return connection
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
    const redis = await startRedis({ args: FULL_SOON })
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
    await expect.poll(() => tryHandOver(redis, 'late'), { interval: 200 }).toBe('taken')
    await expect.poll(() => told().size).toBe(taken.length + 1)
    expect([...told()].at(-1)).toBe('late')
  })

  it('accepts records again and frees its reserve when maxmemory is removed', async () => {
    const redis = await startRedis({ args: FULL_SOON })
    const receiver = await startReceiver()
    const before = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => redis.ask('EXISTS', 'hb:reserve')).toBe(1)
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0')
    await expect.poll(() => redis.ask('EXISTS', 'hb:reserve')).toBe(0)
    await before.stop()
    await handOver(redis, 'held')
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1mb')
    await new MemoryGuard(connectionTo(redis)).check()
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0')
    expect(await tryHandOver(redis, 'early')).toBe(
      'hub: the hub takes nothing now: its Redis is almost full',
    )
    await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => titlesOf(receiver)).toEqual(['held'])
    await expect.poll(() => tryHandOver(redis, 'late')).toBe('taken')
  })
})
