import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seenKey } from '../../src/hub/keys.ts'
import { flushHub } from '../../src/hub-server/flush.ts'
import { hubStatus } from '../../src/hub-server/status.ts'
import { whereaboutsOf } from '../../src/hub-server/why.ts'
import { hasRedis } from '../support/redis.ts'
import { startHubProcess } from './_fleet.ts'
import { never, quick, startGreylisted } from './_greylisted.ts'

/** A proxy that passes on nothing after the first command that matches `last`. */
async function startCuttingProxy(port: number, last: RegExp) {
  let isCut = false
  const proxy = createServer((hub) => {
    const redis = connect(port, '127.0.0.1')
    redis.on('error', () => hub.destroy()).on('close', () => hub.destroy())
    hub.on('error', () => redis.destroy()).on('close', () => redis.destroy())
    redis.on('data', (answer) => isCut || hub.write(answer))
    hub.on('data', (commands) => {
      if (isCut) return
      isCut = last.test(commands.toString())
      redis.write(commands)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await new Promise((resolve) => proxy.once('listening', resolve))
  const address = proxy.address() as { port: number }
  return { url: `redis://hub@127.0.0.1:${address.port}`, isCut: () => isCut }
}

describe.skipIf(!hasRedis)('hub: a mail that a server refuses for one of its recipients', () => {
  it('is tried again for that one alone, and does not delay the next messages of its session', async () => {
    const { state, start, handOver, mails } = await startGreylisted()
    const hub = await start(quick)
    const first = await handOver('first', { session: 's' })
    await expect.poll(() => state.asked).toBeGreaterThan(2)
    await handOver('next', { session: 's' })
    await expect.poll(mails).toHaveLength(2)
    state.isRefusing = false
    await expect.poll(mails).toHaveLength(4)
    expect(mails().slice(0, 2)).toEqual([/first/, /next/].map((one) => expect.stringMatching(one)))
    expect(mails().map((one) => one.split(' ')[0])).toEqual([
      ...['old@x.test', 'old@x.test'],
      ...['new@x.test', 'new@x.test'],
    ])
    await expect
      .poll(() => whereaboutsOf(hub.open, first))
      .toMatchObject([{ state: 'delivered', detail: '250 2.0.0 Ok: queued as 4F2A' }])
  })

  it('ends as delivered if that recipient is refused for good', async () => {
    const { state, start, handOver, mails } = await startGreylisted()
    const hub = await start({ retry: { ...quick.retry, maxAttempts: 3 } })
    const id = await handOver('first')
    await expect.poll(() => hub.states('delivered')).toHaveLength(3)
    expect(state.asked).toBe(3)
    expect(mails()).toHaveLength(1)
    expect((await whereaboutsOf(hub.open, id))[0]?.state).toBe('delivered')
    const { destinations, counts } = await hubStatus(hub.open)
    expect(destinations).toMatchObject([{ waiting: 0, dead: 0 }])
    expect(counts).toEqual({ delivered: 1 })
  })

  it('stays queued across a restart of the hub, and is sent at once by a flush', async () => {
    const { state, start, handOver, mails } = await startGreylisted()
    const before = await start(never)
    await handOver('first')
    await expect.poll(() => before.states('delivered')).toHaveLength(1)
    await before.stop()
    const hub = await start(never)
    expect((await hubStatus(hub.open)).destinations[0]?.waiting).toBe(1)
    state.isRefusing = false
    expect(await flushHub(hub.open)).toBe(1)
    await expect.poll(mails).toHaveLength(2)
  })

  it('reaches that one later also if it is a summary of many messages', async () => {
    const { state, start, handOver, mails } = await startGreylisted()
    // Makes the other messages wait long enough to be summarized.
    state.greetsAfterMs = 3000
    for (let index = 0; index < 12; index++) await handOver(`e${index}`)
    const hub = await start(quick)
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    state.greetsAfterMs = 0
    await expect.poll(() => hub.states('summarized').length).toBeGreaterThan(5)
    state.isRefusing = false
    const to = (person: string) =>
      mails()
        .filter((one) => one.startsWith(person))
        .map((one) => one.split(' ').slice(1).join(' '))
        .sort()
    await expect.poll(() => to('new')).toEqual(to('old'))
    expect(to('old')).toContainEqual(expect.stringContaining('more'))
  })

  it('is not sent to anybody twice if a hub was killed before it recorded the end', async () => {
    const { state, start, handOver, mails, whoGot } = await startGreylisted()
    const hub = await start(never)
    const queue = hub.open.queues[0]?.queue
    await handOver('first')
    await expect.poll(() => queue?.getDelayedCount()).toBe(1)
    const [job] = (await queue?.getDelayed()) ?? []
    state.isRefusing = false
    await flushHub(hub.open)
    await expect.poll(mails).toHaveLength(2)
    await expect.poll(() => queue?.getJob(`${job?.id}`)).toBeUndefined()
    if (job) await queue?.add(job.name, job.data, { jobId: `${job.id}` })
    await handOver('last')
    await expect.poll(() => whoGot('last')).toHaveLength(2)
    expect(whoGot('first')).toEqual(['old@x.test', 'new@x.test'])
  })

  it.each([
    ['added the retry', /evalsha.*\.team~/is],
    ['marked the mail as sent', /SET\r\n\$\d+\r\nhb:seen:/],
  ])('reaches each recipient once if the hub is killed as soon as it has %s', async (_, last) => {
    const { state, start, redis, channels, handOver, whoGot } = await startGreylisted()
    const proxy = await startCuttingProxy(redis.port, last)
    const id = await handOver('first')
    const killed = await startHubProcess(
      { url: proxy.url, password: `${redis.password}` },
      channels,
    )
    await expect.poll(proxy.isCut).toBe(true)
    await killed.kill()
    state.isRefusing = false
    const hub = await start(quick)
    await expect.poll(() => hub.states('repeat')).toHaveLength(1)
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    expect(whoGot('first')).toEqual(['old@x.test', 'new@x.test'])
    expect(await whereaboutsOf(hub.open, id)).toMatchObject([{ state: 'delivered' }])
  })

  it('is no part of a summary for all recipients, also a day later', async () => {
    const { state, start, handOver, whoGot } = await startGreylisted()
    const before = await start(never)
    const first = await handOver('first')
    await expect.poll(() => before.states('delivered')).toHaveLength(1)
    await before.stop()
    // Makes the other messages wait long enough to be summarized.
    Object.assign(state, { greetsAfterMs: 3000, isRefusing: false })
    for (let index = 0; index < 8; index++) await handOver(`e${index}`)
    const hub = await start(never)
    const queue = hub.open.queues[0]?.queue
    await expect.poll(() => queue?.getActiveCount()).toBe(1)
    await hub.open.redis.call('DEL', seenKey(first))
    await flushHub(hub.open)
    expect((await hubStatus(hub.open)).destinations).toMatchObject([{ waiting: 8, questions: 0 }])
    await expect.poll(() => hub.states('delivered').length).toBeGreaterThan(1)
    state.greetsAfterMs = 0
    await expect.poll(() => whoGot('first')).toContain('new@x.test')
    await expect.poll(() => queue?.count()).toBe(0)
    expect(whoGot('first')).toEqual(['old@x.test', 'new@x.test'])
  })

  it('is shown in the status with the reason why it is not sent', async () => {
    const { state, start, handOver } = await startGreylisted()
    const hub = await start(never)
    await handOver('first')
    await expect.poll(() => hub.states('delivered')).toHaveLength(1)
    state.isDown = true
    await flushHub(hub.open)
    await expect.poll(() => hub.states('deferred')).toHaveLength(1)
    await expect
      .poll(async () => (await hubStatus(hub.open)).destinations[0]?.lastFailure?.reason)
      .toContain('closed')
  })

  it('does not count as proof that its channel works if it is given up unsent', async () => {
    const { start, channels, handOver, whoGot } = await startGreylisted()
    const before = await start(never)
    await handOver('first')
    await expect.poll(() => before.states('delivered')).toHaveLength(1)
    await before.stop()
    const hub = await start(never, { other: { ...channels.team, to: ['old@x.test'] } })
    await handOver('second')
    await expect.poll(() => hub.states('exhausted')).toHaveLength(1)
    await flushHub(hub.open)
    await expect
      .poll(() => hub.states('delivered').map(({ answer }) => answer))
      .toContainEqual(expect.stringContaining('others have it'))
    await handOver('third')
    await expect.poll(() => hub.states('exhausted')).toHaveLength(2)
    await handOver('last', { channel: 'other' })
    await expect.poll(() => whoGot('last')).toHaveLength(1)
    expect(whoGot('for it is dead')).toHaveLength(1)
  })
})
