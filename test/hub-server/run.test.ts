import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load/load.ts'
import { RedisConnection } from '../../src/hub/connection.ts'
import { recordOf } from '../../src/hub/record.ts'
import { actOnDead } from '../../src/hub-server/dead.ts'
import { startHub } from '../../src/hub-server/run.ts'
import { makeAuthority } from '../support/authority.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeFolder } from '../support/folder.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { asUser, handOver, hubConfig, runHub, titlesOf, toWebhook, users } from './_hub.ts'

const HOUR_MS = 3600_000
const quick = { retry: { firstDelaySeconds: 0.05, maxDelaySeconds: 0.2 } }

describe.skipIf(!hasRedis)('hub: the hub', () => {
  it('delivers the message of a machine and does not log its body', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runHub(redis, toWebhook(receiver.url))
    await handOver(redis, 'one')
    await expect.poll(() => titlesOf(receiver)).toEqual(['one'])
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    expect(JSON.stringify(hub.lines)).not.toContain('body of')
  })

  it('gives the host and the project of a message to webhooks and files too', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const path = join(await makeFolder(), 'audit.jsonl')
    await runHub(redis, { ...toWebhook(receiver.url), audit: { type: 'file', path } })
    const origin = { label: 'blue', project: 'shop', branch: 'main', host: '', reply: '' }
    const message = { ...makeDelivery('one').message, origin }
    await handOver(redis, 'one', { message })
    await handOver(redis, 'two', { message, channel: 'audit' })
    await expect.poll(() => receiver.received.length).toBe(1)
    const from = { host: 'here', project: 'shop' }
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ data: from })
    const line = () => existsSync(path) && readFileSync(path, 'utf8')
    await expect.poll(line).toContain('\n')
    expect(JSON.parse(String(line()))).toMatchObject(from)
  })

  it('trusts the authorities of extraCaFile, as its machines do', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const { url } = await startRedis({ tls: await authority.issue('IP:127.0.0.1') })
    const [redis, receiver] = [{ url, extraCaFile: authority.file }, await startReceiver()]
    await runHub(redis, toWebhook(receiver.url))
    await handOver(redis, 'one')
    await expect.poll(() => titlesOf(receiver)).toEqual(['one'])
  })

  it('continues after Redis gets a certificate of another authority', async () => {
    const [before, after] = [await makeAuthority(), await makeAuthority()]
    for (const one of [before, after]) onTestFinished(() => one.remove())
    const server = await startRedis({ tls: await before.issue('IP:127.0.0.1') })
    const redis = { url: server.url, extraCaFile: before.file }
    const receiver = await startReceiver()
    await runHub(redis, toWebhook(receiver.url))
    await server.stop()
    const { cert, key } = await after.issue('IP:127.0.0.1')
    writeFileSync(join(server.folder, 'cert'), cert)
    writeFileSync(join(server.folder, 'key'), key)
    writeFileSync(before.file, readFileSync(after.file))
    await server.start()
    await handOver(redis, 'one')
    await expect.poll(() => titlesOf(receiver)).toEqual(['one'])
  })

  it('says how old a message may be that waited while no hub ran', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const before = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => redis.ask('EXISTS', 'hb:empty')).toBe(1)
    await before.stop()
    await redis.ask('SET', 'hb:empty', `${Date.now() - 3 * HOUR_MS}`)
    await handOver(redis, 'one')
    const hub = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    await handOver(redis, 'two')
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.body)).toEqual([
      'Happened up to 3 h earlier: it waited for the hub\nbody of one',
      'body of two',
    ])
  })

  it('delivers a message once, even if its duplicate arrives before or after the delivery', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await handOver(redis, 'one')
    await handOver(redis, 'one')
    const hub = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    await handOver(redis, 'one')
    await expect.poll(() => hub.states('repeat')).toHaveLength(1)
    expect(titlesOf(receiver)).toEqual(['one'])
  })

  it('keeps the order within a session while its destination fails', async () => {
    const [redis, receiver] = [
      await startRedis(),
      await startReceiver({ script: [503, 200, 503, 503, 200] }),
    ]
    const events = ['a', 'b', 'c', 'd', 'e']
    for (const event of events) await handOver(redis, event, { session: 's' })
    await runHub(redis, toWebhook(receiver.url), quick)
    await expect.poll(() => [...new Set(titlesOf(receiver))]).toEqual(events)
    expect(titlesOf(receiver)).toEqual(['a', 'a', 'b', 'b', 'b', 'c', 'd', 'e'])
  })

  it('delivers permission questions first', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    for (const event of ['a', 'b']) await handOver(redis, event)
    await handOver(redis, 'asks', { kind: 'permission' })
    await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => titlesOf(receiver)).toEqual(['asks', 'a', 'b'])
  })

  it('drops an expired message and logs the reason', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await handOver(redis, 'late', { expires: Date.now() + 1 })
    const hub = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => hub.states('expired')).toHaveLength(1)
    expect(hub.states('expired')[0]).toMatchObject({ reason: 'too late to be of use' })
    expect(receiver.received).toEqual([])
  })

  it('rejects invalid records', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const delivery = makeDelivery('e1', { channel: 'team' })
    const record = recordOf(delivery, delivery.message, 1000)
    const bad = [
      'not json',
      '{}',
      JSON.stringify({ ...record, id: 'meta' }),
      JSON.stringify({ ...record, channel: 'desktop' }),
      JSON.stringify({ ...record, title: 'x'.repeat(5000) }),
      'x'.repeat(100_000),
    ]
    for (const text of bad) await redis.ask('RPUSH', 'hb:in', text)
    await handOver(redis, 'good')
    const hub = await runHub(redis, toWebhook(receiver.url))
    await expect.poll(() => titlesOf(receiver)).toEqual(['good'])
    expect(await redis.ask('HGET', 'hb:counts', 'refused')).toBe(`${bad.length}`)
    const reasons = hub.states('refused').map(({ reason }) => reason)
    expect(reasons).toHaveLength(bad.length)
    expect(reasons).toEqual(expect.arrayContaining(['not a record: id', 'too long']))
  })

  it('keeps a message for a channel that it does not have, until it has it', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const before = await runHub(redis, toWebhook(receiver.url))
    // On a machine, the channel "desktop" would need no configuration.
    for (const channel of ['oncall', 'desktop']) await handOver(redis, channel, { channel })
    await expect
      .poll(() => before.states('exhausted'))
      .toMatchObject([
        {
          channel: 'oncall',
          reason: expect.stringMatching(/^the hub on .* has no channel "oncall"$/),
        },
        { channel: 'desktop', reason: expect.stringContaining('has no channel "desktop"') },
      ])
    await before.stop()
    const { team } = toWebhook(receiver.url)
    const hub = await runHub(redis, { team, oncall: team })
    expect(await actOnDead(hub.open, 'retry')).toBe(2)
    await expect.poll(() => titlesOf(receiver)).toEqual(['oncall'])
  })

  it('delivers a burst in one message with the number of further events', async () => {
    const [redis, receiver] = [
      await startRedis(),
      await startReceiver({ script: [{ body: 'ok' }] }),
    ]
    for (let index = 0; index < 30; index++) await handOver(redis, `e${index}`)
    await handOver(redis, 'asks', { kind: 'permission' })
    const hub = await runHub(redis, { team: { type: 'slack', url: receiver.url } })
    await expect.poll(() => hub.states('summarized').length).toBeGreaterThan(20)
    const texts = receiver.received.map(({ body }) => body)
    expect(titlesOf(receiver)[0]).toBe('asks')
    const [told] = texts.flatMap((text) => text.match(/and (\d+) more/)?.[1] ?? [])
    // `texts` are the question, the messages before the summary, and the summary itself.
    expect(Number(told) + texts.length).toBe(31)
    await expect.poll(() => hub.states('summarized').length).toBe(Number(told))
    expect(hub.states('repeat')).toEqual([])
  })

  it('keeps the rate limit of a destination across two hubs', async () => {
    const redis = await startRedis()
    const times: number[] = []
    const receiver = await startReceiver({
      script: [
        () => {
          times.push(performance.now())
          return { body: 'ok' }
        },
      ],
    })
    const channels = { team: { type: 'slack', url: receiver.url } }
    await Promise.all([runHub(redis, channels), runHub(redis, channels)])
    const handedOverAt = performance.now()
    for (const event of ['a', 'b', 'c', 'd']) await handOver(redis, event)
    await expect.poll(() => times.length).toBe(4)
    // Takes three seconds, or one if each hub had its own limit. Never less, however busy the machine is.
    expect((times[3] ?? 0) - handedOverAt).toBeGreaterThan(2000)
  })

  it('works with the minimal access rights, with which a machine can only append records', async () => {
    const redis = await startRedis({ users })
    const receiver = await startReceiver()
    const as = (user: string) => ({ url: redis.url(user), password: 'secret' })
    const hubText = { hub: as('hub'), channels: toWebhook(receiver.url) }
    const loaded = parseConfig(JSON.stringify(hubText), {
      path: 'config.json',
      secrets: { file: new Map(), env: {} },
    })
    const told: object[] = []
    const hub = await startHub(loaded, (line) => told.push(line))
    const machine = new RedisConnection({ ...as('machine'), allowUnencrypted: false })
    const delivery = makeDelivery('one', { channel: 'team' })
    const record = JSON.stringify(recordOf(delivery, delivery.message, 1000))
    try {
      await machine.call('RPUSH', 'hb:in', record)
      await expect.poll(() => titlesOf(receiver)).toEqual(['one'])
      const probes = [
        ...[
          ['GET', 'hb:router'],
          ['LRANGE', 'hb:in', '0', '-1'],
          ['LPOP', 'hb:in'],
          ['DEL', 'hb:in'],
        ],
        ...[
          ['LTRIM', 'hb:in', '1', '0'],
          ['RPUSH', 'hb:taken', 'x'],
          ['RPUSH', 'other', 'x'],
        ],
        ...[['KEYS', '*'], ['FLUSHALL'], ['CONFIG', 'GET', '*'], ['EVAL', 'return 1', '0']],
        ...[
          ['ACL', 'LIST'],
          ['SUBSCRIBE', 'x'],
          ['SCAN', '0'],
          ['RENAME', 'hb:in', 'x'],
          ['SHUTDOWN'],
        ],
        ...[
          ['LPUSH', 'hb:in', 'x'],
          ['SET', 'hb:in', 'x'],
          ['EXPIRE', 'hb:in', '1'],
          ['CLIENT', 'LIST'],
        ],
      ]
      for (const probe of probes)
        await expect(machine.call(...probe), probe.join(' ')).rejects.toMatchObject({
          code: 'NOPERM',
        })
    } finally {
      machine.close()
      await hub.stop()
    }
  })

  it('does not start on a Redis that evicts keys', async () => {
    const redis = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
    const starting = startHub(hubConfig(redis, toWebhook('http://127.0.0.1:1')), () => {})
    await expect(starting).rejects.toThrow('maxmemory-policy is allkeys-lru')
  })

  it('closes all its connections if it cannot start', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '1mb'] })
    const starting = startHub(hubConfig(redis, toWebhook('http://127.0.0.1:1')), () => {})
    await expect(starting).rejects.toThrow('its Redis has reached maxmemory')
    const clients = async () =>
      String(await redis.ask('CLIENT', 'LIST'))
        .trim()
        .split('\n')
    await expect.poll(clients).toHaveLength(1)
  })

  it.each([
    [['--appendfsync', 'everysec'], 'appendfsync is everysec'],
    [['--appendonly', 'no'], 'appendonly is off'],
  ])('warns about possible data loss with %s', async (args, text) => {
    const redis = await startRedis({ args })
    const hub = await runHub(redis, toWebhook('http://127.0.0.1:1'))
    expect(hub.states('warning').map((line) => line.text)).toEqual([expect.stringContaining(text)])
  })

  it('warns about quiet hours, which only machines know', async () => {
    const redis = await startRedis()
    const noise = { quietHours: [{ from: '22:00', to: '07:00' }] }
    const hub = await runHub(redis, toWebhook('http://127.0.0.1:1'), { noise })
    expect(hub.states('warning')).toEqual([
      { state: 'warning', text: expect.stringContaining('quietHours has no effect at a hub') },
    ])
  })

  it('names the risk of data loss if its access rights hide appendfsync', async () => {
    const warningsWith = async (more: string) => {
      const redis = await startRedis({ users: users.map((line) => line + more) })
      const hub = await runHub(asUser(redis, 'hub'), toWebhook('http://127.0.0.1:1'))
      return hub.states('warning').map(({ text }) => text)
    }
    const told = expect.stringContaining('appendfsync cannot be read with these rights')
    expect(await warningsWith('')).toEqual([told])
    expect(await warningsWith(' +config|get')).toEqual([])
  })

  it('loses no message when Redis is killed during delivery', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await runHub(redis, toWebhook(receiver.url))
    const events = Array.from({ length: 300 }, (_, index) => `e${index}`)
    for (const event of events) await handOver(redis, event)
    await expect.poll(() => receiver.received.length).toBeGreaterThan(20)
    await redis.stop('SIGKILL')
    await redis.start()
    const told = () => new Set(titlesOf(receiver)).size
    await expect.poll(told, { interval: 200 }).toBe(events.length)
  })

  it('does not start with a wrong password or an expired certificate, and reports which', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const tls = await authority.issueExpired('IP:127.0.0.1')
    const redis = await startRedis({ users: ['user default on >right ~* +@all'] })
    const expired = await startRedis({ tls })
    const startWith = (hub: object) => {
      const text = JSON.stringify({ hub, channels: { team: { type: 'file', path: '/dev/null' } } })
      const secrets = { file: new Map(), env: {} }
      return startHub(parseConfig(text, { path: 'config.json', secrets }), () => {})
    }
    await expect(startWith({ url: redis.url(), password: 'wrong' })).rejects.toThrow(
      'the hub refuses the user or the password',
    )
    await expect(startWith({ url: expired.url(), ca: authority.file })).rejects.toThrow(
      'its certificate has expired',
    )
  })
})
