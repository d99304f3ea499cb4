import { describe, expect, it, onTestFinished } from 'vitest'
import { aclLines } from '../../src/hub/acl.ts'
import { RedisConnection } from '../../src/hub/connection.ts'
import { checkRestart } from '../../src/hub-server/check-restart.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

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
