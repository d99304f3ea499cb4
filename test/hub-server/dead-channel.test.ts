import { describe, expect, it } from 'vitest'
import { actOnDead, deadInHub } from '../../src/hub-server/dead.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, runHub, titlesOf } from './_hub.ts'

const slack = (url: string) => ({ type: 'slack', url })

describe.skipIf(!hasRedis)('hub: a channel whose deliveries all fail', () => {
  it('is reported once on another channel, and again only after it worked', async () => {
    const gone = { status: 404, body: 'no_team' }
    const team = await startReceiver({ script: [gone, gone, { body: 'ok' }, { body: 'ok' }, gone] })
    const [redis, ops] = [await startRedis(), await startReceiver({ script: [{ body: 'ok' }] })]
    const channels = { team: slack(team.url), alias: slack(team.url), ops: slack(ops.url) }
    const hub = await runHub(redis, channels)
    await runHub(redis, channels)
    const notices = () => ops.received.map(({ body }) => JSON.parse(body).text)
    for (const event of ['a', 'b']) await handOver(redis, event)
    await expect
      .poll(notices)
      .toEqual([
        expect.stringMatching(
          /^Nothing gets through to the channel team any more\nslack: 404 no_team .*\nCorrect it in .*config\.json of the hub, then: hookbell hub dead retry --all$/,
        ),
      ])
    await expect.poll(() => team.received.length).toBe(2)
    await expect.poll(async () => (await deadInHub(hub.open)).length).toBe(2)
    expect(await actOnDead(hub.open, 'retry')).toBe(2)
    await expect.poll(() => titlesOf(team)).toEqual(['a', 'b', 'a', 'b'])
    expect(notices()).toHaveLength(1)
    await handOver(redis, 'c')
    await expect.poll(notices).toHaveLength(2)
  })

  it('is reported also if the hub does not know its name, such as after a typing error on a machine', async () => {
    const [redis, ops] = [await startRedis(), await startReceiver({ script: [{ body: 'ok' }] })]
    await runHub(redis, { ops: slack(ops.url) })
    await handOver(redis, 'a', { channel: 'osp' })
    await expect
      .poll(() => ops.received.map(({ body }) => JSON.parse(body).text))
      .toEqual([
        expect.stringMatching(
          /^The hub on .* has no channel osp\nA message of here for it is dead: hookbell hub dead\nAdd it to .*config\.json of this and every other hub, then: hookbell hub dead retry --all\nIf the name is wrong, correct "channels" of "hub" in config\.json on here$/,
        ),
      ])
  })

  it('is reported once another channel is added, if it was the only one', async () => {
    const team = await startReceiver({ script: [{ status: 404, body: 'no_team' }] })
    const [redis, ops] = [await startRedis(), await startReceiver({ script: [{ body: 'ok' }] })]
    const before = await runHub(redis, { team: slack(team.url) })
    await handOver(redis, 'a')
    await expect.poll(() => before.states('exhausted')).toHaveLength(1)
    await before.stop()
    await runHub(redis, { team: slack(team.url), ops: slack(ops.url) })
    for (const event of ['b', 'c']) await handOver(redis, event)
    await expect.poll(() => team.received.length).toBe(3)
    await expect.poll(() => ops.received.length).toBe(1)
  })

  it('is reported on a third channel if the second one fails too', async () => {
    const gone = { status: 404, body: 'no_team' }
    const [team, old] = [
      await startReceiver({ script: [gone] }),
      await startReceiver({ script: [gone] }),
    ]
    const [redis, ops] = [await startRedis(), await startReceiver({ script: [{ body: 'ok' }] })]
    const urls = { team: team.url, old: old.url, ops: ops.url }
    const channels = Object.entries(urls).map(([name, url]) => [name, slack(url)] as const)
    await runHub(redis, Object.fromEntries(channels))
    const named = () => ops.received.map(({ body }) => /channel (\w+) any/.exec(body)?.[1])
    await handOver(redis, 'a')
    await expect.poll(named).toEqual(['old'])
    await handOver(redis, 'b')
    await expect.poll(named).toEqual(['old', 'team'])
  })
})
