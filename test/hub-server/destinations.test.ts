import { describe, expect, it } from 'vitest'
import { statusText } from '../../src/commands/hub/text.ts'
import { actOnDead } from '../../src/hub-server/dead.ts'
import { hubStatus } from '../../src/hub-server/status.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, runHub, titlesOf, toWebhook } from './_hub.ts'

const toSlack = (url: string) => ({ type: 'slack', url })
const later = { retry: { firstDelaySeconds: 0.5, maxDelaySeconds: 0.5 } }

describe.skipIf(!hasRedis)('hub: a changed configuration', () => {
  it('sends waiting messages, and dead ones on request, to the new URL of their channel, in order', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const old = await startReceiver({ script: [{ status: 404, body: 'no_team' }, 503] })
    const before = await runHub(redis, { team: toSlack(old.url) }, later)
    await handOver(redis, 'dead')
    await expect.poll(() => before.states('exhausted')).toHaveLength(1)
    await handOver(redis, 'one')
    await handOver(redis, 'two')
    await expect.poll(() => before.states('deferred').length).toBeGreaterThan(0)
    await before.stop()
    const hub = await runHub(redis, { team: toSlack(receiver.url) }, later)
    await expect.poll(() => titlesOf(receiver)).toEqual(['one', 'two'])
    expect(await actOnDead(hub.open, 'retry')).toBe(1)
    await expect.poll(() => titlesOf(receiver)).toEqual(['one', 'two', 'dead'])
  })

  it('gives up messages of a removed channel, and sends them once the channel is back', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver({ script: [503, 200] })]
    const other = { other: toSlack(receiver.url) }
    const before = await runHub(redis, toWebhook(receiver.url), later)
    await handOver(redis, 'one')
    await expect.poll(() => before.states('deferred')).toHaveLength(1)
    await before.stop()
    const without = await runHub(redis, other, later)
    await expect.poll(() => without.states('exhausted')).toHaveLength(1)
    await expect
      .poll(async () => statusText(await hubStatus(without.open)))
      .toMatch(/removed channels: 1 dead: the hub on .* has no channel "team"/)
    await without.stop()
    const hub = await runHub(redis, { ...other, ...toWebhook(receiver.url) }, later)
    expect(statusText(await hubStatus(hub.open))).not.toContain('removed channels')
    expect(await actOnDead(hub.open, 'retry')).toBe(1)
    // Our own message, which reports the missing channel, is left out.
    await expect.poll(() => titlesOf(receiver).filter(Boolean)).toEqual(['one', 'one'])
  })

  it('sends waiting messages of a channel that now shares the destination of another one', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const old = await startReceiver({ script: [503] })
    const first = { first: toSlack(receiver.url) }
    const before = await runHub(redis, { ...first, team: toSlack(old.url) }, later)
    await handOver(redis, 'one')
    await expect.poll(() => before.states('deferred')).toHaveLength(1)
    await before.stop()
    const hub = await runHub(redis, { ...first, team: toSlack(receiver.url) }, later)
    await expect.poll(() => titlesOf(receiver)).toEqual(['one'])
    await handOver(redis, 'two')
    await expect.poll(() => hub.states('delivered')).toHaveLength(2)
  })
})
