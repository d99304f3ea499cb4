import { describe, expect, it } from 'vitest'
import { HELD, INBOX } from '../../src/hub/keys.ts'
import { actOnDead } from '../../src/hub-server/dead.ts'
import { hubStatus, type OpenHub, withHub } from '../../src/hub-server/status.ts'
import { whereaboutsOf } from '../../src/hub-server/why.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { refusal, startSmtpServer } from '../support/smtp.ts'
import { asUser, handOver, hubConfig, runHub, toWebhook, users } from './_hub.ts'

/** The state of a message by the response to its handover. */
async function lookAt({ open }: { open: OpenHub }, answer: string) {
  const id = answer.replace(/^handed over to the hub as /, '')
  return (await whereaboutsOf(open, id))[0]
}

describe.skipIf(!hasRedis)('hub: why', () => {
  it('reports the state of each message with its reason', async () => {
    const redis = await startRedis()
    const script = [200, 400, { status: 429, headers: { 'retry-after': '60' } }]
    const receiver = await startReceiver({ script })
    const hub = await runHub(redis, toWebhook(receiver.url))
    const told = await handOver(redis, 'told')
    await expect.poll(async () => (await lookAt(hub, told))?.state).toBe('delivered')
    const dead = await handOver(redis, 'dead')
    await expect.poll(async () => (await lookAt(hub, dead))?.state).toBe('dead')
    const late = await handOver(redis, 'late', { expires: Date.now() + 1 })
    await expect.poll(async () => (await lookAt(hub, late))?.state).toBe('expired')
    const tried = await handOver(redis, 'tried', { host: 'box-7' })
    await expect.poll(async () => (await lookAt(hub, tried))?.lastFailure).toBeDefined()
    await expect.poll(async () => (await lookAt(hub, tried))?.state).toBe('waiting')
    expect(await lookAt(hub, told)).toMatchObject({ detail: 'ok' })
    expect(await lookAt(hub, dead)).toMatchObject({ detail: expect.stringContaining('400') })
    expect(await lookAt(hub, late)).toMatchObject({ detail: 'too late to be of use' })
    expect(await lookAt(hub, tried)).toMatchObject({
      ...{ host: 'box-7', title: 'title of tried' },
      lastFailure: { attempt: 1, reason: expect.stringContaining('429') },
    })
    const [{ dead: count, deadBecause, endedInLastHour, restMs } = { deadBecause: [] }] = (
      await hubStatus(hub.open)
    ).destinations
    expect({ count, endedInLastHour, why: deadBecause.map((one) => one.count) }).toEqual({
      ...{ count: 1, endedInLastHour: 2, why: [1] },
    })
    expect(restMs).toBeGreaterThan(10_000)
    await actOnDead(hub.open, 'drop')
    expect(await lookAt(hub, dead)).toMatchObject({ state: 'dropped' })
  })

  it('names the recipients whom a mail server refuses for a while', async () => {
    const [redis, server] = [
      await startRedis(),
      await startSmtpServer({
        onRcptTo: ({ address }, _session, callback) =>
          callback(address === 'new@x.test' ? refusal(450, 'greylisted') : null),
      }),
    ]
    const mail = { type: 'email', smtp: `smtp://127.0.0.1:${server.port}`, from: 'a@x.test' }
    const hub = await runHub(redis, { team: { ...mail, to: ['old@x.test', 'new@x.test'] } })
    const told = await handOver(redis, 'told')
    await expect.poll(async () => (await lookAt(hub, told))?.state).toBe('delivered')
    expect(await lookAt(hub, told)).toMatchObject({
      detail: '250 2.0.0 Ok: queued as 4F2A (refused: new@x.test: 450 greylisted)',
    })
    expect(server.received.map(({ to }) => to)).toEqual([['old@x.test']])
  })

  it('finds a record that no hub has taken yet, also by its id without the channel', async () => {
    const redis = await startRedis()
    const hub = await runHub(redis, toWebhook('http://127.0.0.1:1'))
    await hub.stop()
    const listed = await handOver(redis, 'listed')
    const again = await runHub(redis, toWebhook('http://127.0.0.1:1'))
    expect(await whereaboutsOf(again.open, 'f'.repeat(32))).toEqual([
      { id: 'f'.repeat(32), state: 'unknown' },
    ])
    await expect
      .poll(async () => (await lookAt(again, listed.replace('.team', '')))?.state)
      .toBe('waiting')
  })

  it('finds a record among thousands, and one that is held while the inbox is shut', async () => {
    const redis = await startRedis({
      users: ['user default on nopass ~* +@all', ...users.slice(1)],
    })
    const hub = hubConfig(asUser(redis, 'hub'), toWebhook('http://127.0.0.1:1'))
    const others = Array.from({ length: 3000 }, (_, index) => `${index}`.padEnd(2000, 'x'))
    await redis.ask('RPUSH', INBOX, ...others)
    const listed = await handOver(redis, 'listed')
    const look = () => withHub(hub, (open) => lookAt({ open }, listed))
    expect(await look()).toMatchObject({ state: 'listed' })
    await redis.ask('RENAME', INBOX, HELD)
    await redis.ask('SET', INBOX, 'full')
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1mb')
    expect(await look()).toMatchObject({ state: 'listed' })
    await redis.ask('LTRIM', HELD, '0', '-2')
    expect(await look()).toMatchObject({ state: 'unknown' })
  })

  it('names the summary in which a message was delivered', async () => {
    const [redis, receiver] = [
      await startRedis(),
      await startReceiver({ script: [{ body: 'ok' }] }),
    ]
    const answers: string[] = []
    for (let index = 0; index < 12; index++) answers.push(await handOver(redis, `e${index}`))
    const hub = await runHub(redis, { team: { type: 'slack', url: receiver.url } })
    await expect.poll(() => hub.states('summarized').length).toBeGreaterThan(5)
    const last = await lookAt(hub, answers[11] ?? '')
    expect(last).toMatchObject({ state: 'delivered', summary: expect.stringMatching(/\.team$/) })
  })
})
