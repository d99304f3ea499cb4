import { describe, expect, it, onTestFinished } from 'vitest'
import { aclLines } from '../../src/hub/acl.ts'
import { RedisConnection } from '../../src/hub/connection.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

const users = aclLines.map((line) => line.replace(/>\w+/, '>secret'))
const SET_BOTH = "redis.call('SET', KEYS[1], 'x') redis.call('SET', KEYS[2], 'x') return 1"

function connect(url: string, password?: string) {
  const connection = new RedisConnection({
    ...{ url, allowUnencrypted: false },
    ...(password !== undefined && { password }),
  })
  onTestFinished(() => connection.close())
  return (...words: string[]) => connection.call(...words)
}

describe.skipIf(!hasRedis)('the Redis users of hookbell hub acl', () => {
  it('keep the writes of scripts when Redis is killed and restarted', async () => {
    const redis = await startRedis({ users })
    await connect(redis.url('hub'), 'secret')('EVAL', SET_BOTH, '2', 'hb:a', 'hb:b')
    await redis.stop('SIGKILL')
    await redis.start()
    expect(await connect(redis.url('hub'), 'secret')('MGET', 'hb:a', 'hb:b')).toEqual(['x', 'x'])
  })

  it('deny access without the right user and password', async () => {
    const redis = await startRedis({ users })
    await expect(connect(redis.url())('PING')).rejects.toMatchObject({ code: 'NOAUTH' })
    for (const password of ['', 'secret', 'nopass'])
      await expect(connect(redis.url(), password)('PING')).rejects.toMatchObject({
        code: 'WRONGPASS',
      })
  })
})
