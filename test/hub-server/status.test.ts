import { expect, it } from 'vitest'
import { statusText } from '../../src/commands/hub/text.ts'
import { INBOX, TAKEN } from '../../src/hub/keys.ts'
import { hubStatus, type OpenHub, withHub } from '../../src/hub-server/status.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver, hubConfig, runHub, toWebhook } from './_hub.ts'

it.skipIf(!hasRedis)('the status of a hub says why messages wait', async () => {
  const [redis, receiver] = [await startRedis(), await startReceiver({ script: [503] })]
  const text = async (hub: OpenHub) => statusText(await hubStatus(hub))
  const hub = await runHub(redis, toWebhook(receiver.url))
  await handOver(redis, 'one')
  await expect.poll(() => text(hub.open)).toContain('team: attempt 1 failed: webhook: 503')
  expect(await text(hub.open)).not.toMatch(/no hub|almost full/)
  await hub.stop()
  // A hub does this when its Redis is almost full.
  await redis.ask('SET', INBOX, 'full')
  const after = await withHub(hubConfig(redis, toWebhook(receiver.url)), text)
  expect(after).toContain('no hub is running: start hookbell hub')
  expect(after).toContain('Redis is almost full: machines are turned away')
})

it.skipIf(!hasRedis)(
  'the status of a hub counts the records that it was accepting when it was killed',
  async () => {
    const redis = await startRedis()
    await handOver(redis, 'one')
    await handOver(redis, 'two')
    await redis.ask('RPOPLPUSH', INBOX, TAKEN)
    const { inbox } = await withHub(hubConfig(redis, toWebhook('http://127.0.0.1:1')), hubStatus)
    expect(inbox).toBe(2)
  },
)
