import { describe, expect, it } from 'vitest'
import { idAtHub } from '../../src/hub/handed-over.ts'
import { flushHub } from '../../src/hub-server/flush.ts'
import { hubStatus } from '../../src/hub-server/status.ts'
import { whereaboutsOf } from '../../src/hub-server/why.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { refusal, startSmtpServer } from '../support/smtp.ts'
import { asUser, handOver, runHub, users } from './_hub.ts'

const quick = { retry: { firstDelaySeconds: 0.1, maxDelaySeconds: 0.2 } }
const never = { retry: { firstDelaySeconds: 3600, maxDelaySeconds: 3600 } }

/** A hub with a mail channel to `old@x.test` and `new@x.test`, of whom the server refuses `new` at first. */
async function startGreylisted() {
  const state = { isRefusing: true, asked: 0, greetsAfterMs: 0 }
  const { port, received } = await startSmtpServer({
    onConnect: (_session, callback) => void setTimeout(callback, state.greetsAfterMs),
    onRcptTo({ address }, _session, callback) {
      if (address === 'old@x.test') return callback(null)
      state.asked += 1
      callback(state.isRefusing ? refusal(450, 'greylisted') : null)
    },
  })
  const redis = asUser(await startRedis({ users }), 'hub')
  const mail = { type: 'email', smtp: `smtp://127.0.0.1:${port}`, from: 'a@x.test' }
  const channels = { team: { ...mail, to: ['old@x.test', 'new@x.test'] } }
  return {
    state,
    handOver: async (event: string, changes?: object) =>
      idAtHub(await handOver(redis, event, changes)) ?? '',
    start: (retry: object) => runHub(redis, channels, retry),
    mails: () => received.map(({ to, mail: { subject } }) => `${to} ${subject?.slice(-20)}`),
  }
}

describe.skipIf(!hasRedis)('hub: a mail that a server refuses for one of its recipients', () => {
  it('is tried again for that one alone, while the next messages of its session pass', async () => {
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

  it('ends as delivered if it is refused for good', async () => {
    const { state, start, handOver, mails } = await startGreylisted()
    const hub = await start({ retry: { ...quick.retry, maxAttempts: 3 } })
    const id = await handOver('first')
    await expect.poll(() => hub.states('delivered')).toHaveLength(3)
    expect(state.asked).toBe(3)
    expect(mails()).toHaveLength(1)
    expect((await whereaboutsOf(hub.open, id))[0]?.state).toBe('delivered')
    const [status] = (await hubStatus(hub.open)).destinations
    expect(status).toMatchObject({ waiting: 0, dead: 0 })
  })

  it('waits across a restart of the hub, and is sent at once by a flush', async () => {
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

  it('is the same for a summary of many messages', async () => {
    const { state, start, handOver, mails } = await startGreylisted()
    // So that the others wait long enough to be summarized.
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
})
