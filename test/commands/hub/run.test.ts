import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launchHub, startHubProcess } from '../../hub-server/_fleet.ts'
import { toWebhook } from '../../hub-server/_hub.ts'
import { startReceiver } from '../../support/receiver.ts'
import { hasRedis, startRedis } from '../../support/redis.ts'

async function takePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

type Redis = Awaited<ReturnType<typeof startRedis>>
const NOT_LOADED = 'the configuration before is used'

async function startHubOf(redis: Redis) {
  const [hub, team] = [{ url: redis.url() }, toWebhook('http://127.0.0.1:1')]
  const { home, lines } = await startHubProcess(hub, team)
  return {
    linesOf: (state: string, text = '') =>
      lines().filter((line) => line.state === state && `${line.text}`.includes(text)),
    /** Adds a channel to its configuration. */
    change: () => {
      const channels = { ...team, more: { type: 'file', path: '/dev/null' } }
      return home.writeConfig(JSON.stringify({ hub, channels }))
    },
  }
}

async function connectionsOf(redis: Redis): Promise<number> {
  const stats = String(await redis.ask('INFO', 'stats'))
  return Number(/total_connections_received:(\d+)/.exec(stats)?.[1])
}

describe.skipIf(!hasRedis)('command hub: run', () => {
  it('exits if another program uses the port of its page', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const options = ['--page', `127.0.0.1:${await takePort()}`]
    const hub = await launchHub({ url: redis.url() }, toWebhook(receiver.url), { options })
    expect(await hub.exited).toBe(69)
    expect(hub.output()).toContain('hub: no page on 127.0.0.1')
    // It has released its lease, so another hub can continue at once.
    expect(await redis.ask('EXISTS', 'hb:router')).toBe(0)
  })

  it('exits if Redis became full before any hub ran with it', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '1mb'] })
    const hub = await launchHub({ url: redis.url() }, toWebhook('http://127.0.0.1:1'))
    expect(await hub.exited).toBe(69)
    expect(hub.output()).toContain('hub: the hub is full: its Redis has reached maxmemory')
  })

  it('loads a configuration that changed while Redis was away', async () => {
    const redis = await startRedis()
    const { linesOf, change } = await startHubOf(redis)
    await redis.stop()
    await change()
    await expect.poll(() => linesOf('problem', NOT_LOADED)).toHaveLength(1)
    await redis.start()
    await expect.poll(() => linesOf('reloaded')).toHaveLength(1)
    expect(linesOf('reloaded')[0]).toMatchObject({ channels: 'team more' })
  })

  it('reports only once each reason why a configuration cannot be loaded', async () => {
    const redis = await startRedis({ args: ['--appendfsync', 'everysec'] })
    const { linesOf, change } = await startHubOf(redis)
    expect(linesOf('warning')).toHaveLength(1)
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1mb')
    await change()
    await expect
      .poll(() => linesOf('problem', `${NOT_LOADED}: hub: the hub is full`))
      .toHaveLength(1)
    const connections = await connectionsOf(redis)
    // Each try opens several connections.
    await expect.poll(() => connectionsOf(redis)).toBeGreaterThan(connections + 9)
    // On a busy machine a try may fail for another reason, such as no answer in time.
    const reasons = linesOf('problem', NOT_LOADED).map(({ text }) => text)
    expect(new Set(reasons).size).toBe(reasons.length)
    expect(linesOf('warning')).toHaveLength(2)
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0')
    await expect.poll(() => linesOf('reloaded')).toHaveLength(1)
  })
})
