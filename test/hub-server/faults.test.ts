import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, connect as openSocket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { answerOf } from '../../src/hub/record.ts'
import { makeAuthority } from '../support/authority.ts'
import { makeFolder } from '../support/folder.ts'
import { hasNamespaces, makeNetwork } from '../support/network.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { isFull } from '../support/runs.ts'
import { makeMachine, startHubProcess } from './_fleet.ts'
import { asUser, handOver, runHub, users } from './_hub.ts'

const team = (url: string) => ({ team: { type: 'webhook', url, allowPrivateNetwork: true } })

/** The tags that a webhook received, in order. */
const tagsOf = ({ received }: Awaited<ReturnType<typeof startReceiver>>) =>
  received.map(({ body }) => body.match(/#([\w-]+)#/)?.[1] ?? body.match(/title of (\w+)/)?.[1])

/** Redis accepts other machines without a password only like this. */
const unprotected = ['--protected-mode', 'no']

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

/** The number of handed-over messages; the list also contains answers. */
async function messagesIn({ ask }: Awaited<ReturnType<typeof startRedis>>): Promise<number> {
  const records = (await ask('LRANGE', 'hb:in', '0', '-1')) as string[]
  return records.filter((one) => JSON.parse(one).type === 'message').length
}

/** A proxy that forwards commands to Redis, but never a reply. */
async function startDeafProxy(port: number) {
  const server = createServer((machine) => {
    const redis = openSocket(port, '127.0.0.1')
    redis.on('error', () => machine.destroy())
    machine.on('error', () => redis.destroy())
    machine.pipe(redis).resume()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: own } = server.address() as { port: number }
  return `redis://127.0.0.1:${own}`
}

/** A proxy that breaks one connection, instead of passing on the first reply that contains all of these words. */
async function startBreakingProxy(port: number, words: readonly string[]) {
  let isBroken = false
  const server = createServer((hub) => {
    const redis = openSocket(port, '127.0.0.1')
    redis.on('error', () => hub.destroy()).on('close', () => hub.destroy())
    hub.on('error', () => redis.destroy()).on('close', () => redis.destroy())
    hub.pipe(redis)
    redis.on('data', (answer) => {
      if (isBroken || !words.every((word) => answer.includes(word))) return void hub.write(answer)
      isBroken = true
      redis.destroy()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: own } = server.address() as { port: number }
  return { url: () => `redis://127.0.0.1:${own}`, isBroken: () => isBroken }
}

/** A proxy that delays each reply of Redis. */
async function startSlowProxy(port: number, ms: number) {
  const server = createServer((hub) => {
    const redis = openSocket(port, '127.0.0.1')
    redis.on('error', () => hub.destroy()).on('close', () => hub.destroy())
    hub.on('error', () => redis.destroy()).on('close', () => redis.destroy())
    hub.pipe(redis)
    redis.on('data', (answer) => setTimeout(() => hub.write(answer), ms))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: own } = server.address() as { port: number }
  return { url: () => `redis://127.0.0.1:${own}` }
}

/** A URL whose server can be changed with `leadTo`. Open connections stay with their server. */
async function startNameOf(first: number) {
  let port = first
  const server = createServer((client) => {
    const redis = openSocket(port, '127.0.0.1')
    client.on('error', () => redis.destroy()).on('close', () => redis.destroy())
    redis.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(redis).pipe(client)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: own } = server.address() as { port: number }
  const leadTo = (next: number) => {
    port = next
  }
  return { url: () => `redis://127.0.0.1:${own}`, leadTo }
}

/** The record of an answer, each in another session. */
function answerTo(name: string): string {
  const session = name.padStart(32, '0')
  const answer = { host: 'here', session, at: 0, isForAll: true, questions: [session] }
  return JSON.stringify(answerOf(answer, 0))
}

describe.skipIf(!hasRedis)('hub: faults', () => {
  it('a message of a machine that was killed during the handover is delivered once', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const machine = await makeMachine({ url: await startDeafProxy(redis.port) }, ['team'])
    // A question, since the end of a turn is also handed over as an answer, before its message.
    machine.ask('team', 's', '#once#')
    const first = machine.start('drain')
    await expect.poll(() => messagesIn(redis)).toBe(1)
    await first.kill()
    const config = JSON.parse(machine.read('config/config.json'))
    config.hub.url = redis.url()
    await machine.writeConfig(JSON.stringify(config))
    expect(await machine.drain()).toMatchObject({ exitCode: 0 })
    expect(await messagesIn(redis)).toBe(2)
    const hub = await runHub(redis, team(receiver.url))
    await handOver(redis, 'last')
    await expect.poll(() => tagsOf(receiver).at(-1)).toBe('last')
    expect(tagsOf(receiver)).toEqual(['once', 'last'])
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
  })

  it('a killed hub repeats only the message in progress, and another hub continues', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({ script: ['blackhole', 200] })
    const machine = await makeMachine({ url: redis.url() }, ['team'])
    for (const number of numbers(5)) machine.finish('team', 's', `#${number}#`)
    expect(await machine.drain()).toMatchObject({ exitCode: 0 })
    const first = await startHubProcess({ url: redis.url() }, team(receiver.url))
    await expect.poll(() => tagsOf(receiver)).toEqual(['0'])
    const second = await runHub(redis, team(receiver.url))
    await first.kill()
    await expect.poll(() => second.states('delivered')).toHaveLength(5)
    expect(tagsOf(receiver)).toEqual(['0', ...numbers(5)])
  })

  it('messages are delivered after the connection to Redis was lost', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const hub = await runHub(redis, team(receiver.url))
    const events = numbers(60).map((number) => `e${number}`)
    for (const event of events) await handOver(redis, event)
    for (let round = 0; round < 10; round++) {
      await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await expect.poll(() => new Set(tagsOf(receiver)).size).toBe(events.length)
    await expect.poll(() => hub.states('problem').length).toBeGreaterThan(0)
    expect([...hub.states('exhausted'), ...hub.states('unavailable')]).toEqual([])
  })

  it('a failover to another Redis stops neither the hub nor a machine', async () => {
    const [first, second] = [await startRedis(), await startRedis()]
    const receiver = await startReceiver()
    const name = await startNameOf(first.port)
    await second.ask('REPLICAOF', '127.0.0.1', `${first.port}`)
    await expect.poll(async () => `${await second.ask('ROLE')}`).toContain('connected')
    const hub = await runHub(name, team(receiver.url))
    await handOver(name, 'one')
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    await first.ask('WAIT', '1', '0')
    await second.ask('REPLICAOF', 'NO', 'ONE')
    await first.ask('REPLICAOF', '127.0.0.1', `${second.port}`)
    name.leadTo(second.port)
    await expect(handOver(name, 'two')).rejects.toThrow('the URL leads to a replica')
    await handOver(name, 'two')
    await expect.poll(() => tagsOf(receiver)).toEqual(['one', 'two'])
  })

  it.each([
    ['a hub with a slow connection to Redis quickly skips many invalid records', () => 'garbage'],
    ['a hub with a slow connection to Redis quickly processes many answers', answerTo],
  ])('%s', async (_, recordOf) => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    await redis.ask('RPUSH', 'hb:in', ...numbers(100).map(recordOf))
    await handOver(redis, 'last')
    await runHub(await startSlowProxy(redis.port, 120), team(receiver.url))
    await expect.poll(() => tagsOf(receiver)).toEqual(['last'])
    expect(Number((await redis.ask('HGET', 'hb:counts', 'refused')) ?? 0)).toBeLessThan(101)
  })

  it('a message that was sent while Redis was restarted is not sent again', async () => {
    const redis = await startRedis()
    const stopRedis = async () => {
      await redis.stop()
      return {}
    }
    const receiver = await startReceiver({ script: [stopRedis, 200] })
    const hub = await runHub(redis, team(receiver.url))
    await handOver(redis, 'one')
    await expect.poll(() => receiver.received.length).toBe(1)
    // Longer than the lock of the hub on the message is valid.
    await sleep(11_000)
    await redis.start()
    await handOver(redis, 'two')
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
    expect(tagsOf(receiver)).toEqual(['one', 'two'])
  })

  it('a hub whose Redis is gone reports it once, not at each attempt of each connection', async () => {
    const redis = await startRedis()
    const hub = await runHub(redis, team('http://127.0.0.1:9/'))
    await redis.stop()
    const reports = () => hub.states('problem').map(({ text }) => text)
    await expect.poll(reports).toContain('Redis: nobody listens there')
    // Time for some attempts.
    await sleep(3000)
    const texts = reports()
    expect(texts).toHaveLength(new Set(texts).size)
  })

  it('a hub whose Redis is down exits on SIGTERM', async () => {
    const redis = await startRedis()
    const hub = await startHubProcess({ url: redis.url() }, team('http://127.0.0.1:9/'))
    await redis.stop()
    hub.child.kill('SIGTERM')
    expect(await hub.exited).toBe(0)
  })

  it('a hub uses a new password after a reload, and no longer tries the old one', async () => {
    const redis = await startRedis({ users: [...users, 'user admin on nopass ~* &* +@all'] })
    const admin = new RedisConnection({
      url: redis.url('admin'),
      password: 'x',
      allowUnencrypted: false,
    })
    onTestFinished(() => admin.close())
    const receiver = await startReceiver()
    const hub = await startHubProcess(
      { url: redis.url('hub'), password: 'secret' },
      team(receiver.url),
    )
    await admin.call('ACL', 'SETUSER', 'hub', 'resetpass', '>new')
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await expect.poll(hub.output).toContain('the hub refuses the user or the password')
    const path = join(hub.home.env.HOOKBELL_CONFIG_DIR, 'config.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"secret"', '"new"'))
    await expect.poll(hub.output).toContain('"reloaded"')
    await handOver(asUser(redis, 'machine'), 'one')
    await expect.poll(() => tagsOf(receiver)).toEqual(['one'])
    expect(hub.output().split('"reloaded"')[1]).not.toContain('the hub refuses')
  })

  it('the rate limit of a destination still holds after Redis was emptied', async () => {
    const redis = await startRedis()
    const times: number[] = []
    const note = () => {
      times.push(performance.now())
      return { body: 'ok' }
    }
    const receiver = await startReceiver({ script: [note] })
    const slack = { team: { type: 'slack', url: receiver.url } }
    await Promise.all([runHub(redis, slack), runHub(redis, slack)])
    await redis.ask('FLUSHALL')
    const handedOverAt = performance.now()
    for (const event of ['a', 'b', 'c']) await handOver(redis, event)
    await expect.poll(() => times.length).toBe(3)
    // Takes two seconds, or none without a limit. Never less, however busy the machine is.
    expect((times[2] ?? 0) - handedOverAt).toBeGreaterThan(1000)
  })

  it('the rate limit of a destination still holds after Redis lost its data in a restart', async () => {
    const redis = await startRedis({ args: ['--appendonly', 'no', '--save', ''] })
    const times: number[] = []
    const note = () => {
      times.push(performance.now())
      return { body: 'ok' }
    }
    const receiver = await startReceiver({ script: [note] })
    const hub = await runHub(redis, { team: { type: 'slack', url: receiver.url } })
    await redis.stop()
    await redis.start()
    await expect.poll(() => hub.open.queues[0]?.queue.getGlobalConcurrency()).toBe(1)
    const handedOverAt = performance.now()
    for (const event of ['a', 'b', 'c']) await handOver(redis, event)
    await expect.poll(() => times.length).toBe(3)
    // Takes two seconds, or none without a limit. Never less, however busy the machine is.
    expect((times[2] ?? 0) - handedOverAt).toBeGreaterThan(1000)
  })

  it('a message that the hub took when its connection broke does not wait for the end of its lock', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    // `processedOn` is only in the job that a worker takes. The router reads the message too, without it.
    const proxy = await startBreakingProxy(redis.port, ['title of taken', 'processedOn'])
    const hub = await runHub(proxy, team(receiver.url))
    for (const event of ['taken', 'next']) await handOver(redis, event)
    await expect.poll(() => tagsOf(receiver)).toEqual(['taken', 'next'])
    expect(proxy.isBroken()).toBe(true)
    const key = hub.open.queues[0]?.queue.toKey('events') ?? ''
    const events = JSON.stringify(await redis.ask('XRANGE', key, '-', '+'))
    expect(events).toContain('"waiting"')
    expect(events).not.toContain('stalled')
  })

  it.skipIf(!hasNamespaces)(
    'a hub with several addresses is reached over a slow network',
    async () => {
      const network = makeNetwork()
      const hosts = join(await makeFolder(), 'hosts')
      const addresses = [network.here, network.addSilent()]
      writeFileSync(hosts, addresses.map((one) => `${one} hub.test\n`).join(''))
      const withHosts = ['sh', '-c', `mount --bind ${hosts} /etc/hosts && exec "$@"`, 'sh']
      const authority = await makeAuthority()
      onTestFinished(() => authority.remove())
      const tls = await authority.issue('DNS:hub.test')
      const redis = await startRedis({ tls, bind: [network.here], args: unprotected })
      const hub = { url: `rediss://hub.test:${redis.port}` }
      const machine = await makeMachine(
        hub,
        ['team'],
        { prefix: [...network.prefix, ...withHosts] },
        { extraCaFile: authority.file },
      )
      network.cut()
      const test = machine.start('test', 'team')
      const connections = () => readFileSync(`/proc/${test.child.pid}/net/tcp`, 'utf8')
      // The state of a connection that waits for its first answer.
      await expect.poll(connections).toMatch(/:\w+ 02 /)
      await sleep(300)
      network.restore()
      expect({ exitCode: await test.exited, output: test.output() }).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining('handed over'),
      })
    },
  )

  it.skipIf(!hasNamespaces)(
    'a disconnected machine continues by itself without duplicates',
    async () => {
      const network = makeNetwork()
      const redis = await startRedis({
        bind: ['127.0.0.1', network.here],
        args: unprotected,
      })
      const receiver = await startReceiver()
      const url = `redis://${network.here}:${redis.port}`
      const hub = { url, allowUnencrypted: true }
      const machine = await makeMachine(hub, ['team'], network)
      const all = numbers(30)
      const [before, during, after] = [all.slice(0, 10), all.slice(10, 20), all.slice(20)]
      const tell = (some: string[]) => some.map((one) => machine.finish('team', 's', `#${one}#`))
      tell(before)
      const worker = machine.start('worker')
      await expect.poll(() => messagesIn(redis)).toBe(10)
      network.cut()
      // Redis closes the connection, but the machine does not learn of it.
      await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      tell(during)
      await new Promise((resolve) => setTimeout(resolve, isFull ? 15_000 : 2000))
      expect(await messagesIn(redis)).toBe(10)
      network.restore()
      tell(after)
      await expect.poll(() => messagesIn(redis)).toBeGreaterThanOrEqual(30)
      await runHub(redis, team(receiver.url))
      await expect.poll(() => new Set(tagsOf(receiver)).size).toBe(30)
      expect(tagsOf(receiver)).toHaveLength(30)
      await worker.kill('SIGTERM')
    },
  )
})

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const hasFaketime = spawnSync('test', ['-e', faketime]).status === 0
const clock = (offset: string) => ({
  env: { LD_PRELOAD: faketime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
})

describe.skipIf(!hasRedis || !hasFaketime)('hub: clocks that are 5 minutes apart', () => {
  it('a hub does not drop the jobs of another hub as expired', async () => {
    const redis = await startRedis()
    const later = { status: 503, headers: { 'retry-after': '2' } }
    const receiver = await startReceiver({ script: [later, 200] })
    const slow = await startHubProcess({ url: redis.url() }, team(receiver.url), clock('-5m'))
    await handOver(redis, 'first')
    await handOver(redis, 'second', { expires: Date.now() + 200_000 })
    await expect.poll(() => slow.lines().map(({ state }) => state)).toContain('deferred')
    await expect.poll(() => redis.ask('LLEN', 'hb:taken')).toBe(0)
    slow.child.kill('SIGTERM')
    expect(await slow.exited).toBe(0)
    await runHub(redis, team(receiver.url))
    await expect.poll(() => tagsOf(receiver)).toEqual(['first', 'first', 'second'])
  })
})
