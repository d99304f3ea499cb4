import { spawnSync } from 'node:child_process'
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { connectionOf } from '../../src/hub-server/run.ts'
import { makeFolder } from '../support/folder.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { asUser, handOver, hubConfig, runHub, titlesOf, toWebhook, users } from './_hub.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

/** The number of bytes of the append-only file that were certainly on the disk. @param log the output of strace */
function syncedBytes(log: string): number {
  let [written, synced] = [0, 0]
  for (const line of log.split('\n')) {
    if (!line.includes('.incr.aof>')) continue
    const count = /\bwrite\(.* = (\d+)$/.exec(line)?.[1]
    if (count) written += Number(count)
    else if (/\bf(?:data)?sync\(.* = 0$/.test(line)) synced = written
  }
  return synced
}

/** A Redis with the rights of a team, whose power can be cut. */
async function startOnDisk(appendfsync: string) {
  const trace = join(await makeFolder(), 'trace')
  const calls = ['-qq', '-y', '-s', '1', '-e', 'trace=write,fsync,fdatasync']
  const redis = await startRedis({
    users,
    // With -D, the started process is Redis itself, not strace.
    prefix: ['strace', '-D', '-f', ...calls, '-o', trace],
    args: ['--appendfsync', appendfsync],
  })
  return {
    redis,
    /** Hands over messages. @returns how many were acknowledged */
    async handOverSome() {
      const count = 50
      for (let index = 0; index < count; index += 1)
        await handOver(asUser(redis, 'machine'), `e${index}`)
      return count
    },
    /** Removes what had not reached the disk, and restarts Redis. */
    async cutPower() {
      await redis.stop('SIGKILL')
      const synced = syncedBytes(readFileSync(trace, 'utf8'))
      truncateSync(join(redis.folder, 'appendonlydir/appendonly.aof.1.incr.aof'), synced)
      await redis.start()
    },
  }
}

/** @returns how many messages were acknowledged, and how many of them are in the list of the hub after a power cut */
async function cutPowerOf(appendfsync: string) {
  const { redis, handOverSome, cutPower } = await startOnDisk(appendfsync)
  const acknowledged = await handOverSome()
  await cutPower()
  const hub = new RedisConnection({ ...connectionOf(hubConfig(asUser(redis, 'hub'), {})) })
  onTestFinished(() => hub.close())
  return { acknowledged, kept: Number(await hub.call('LLEN', 'hb:in')) }
}

describe.skipIf(!hasRedis || !hasStrace)('hub: a power cut', () => {
  it('loses nothing that was acknowledged with appendfsync always', async () => {
    const { acknowledged, kept } = await cutPowerOf('always')
    expect(kept).toBe(acknowledged)
  })

  it('loses nothing that a hub had already moved to its queues', async () => {
    const { redis, handOverSome, cutPower } = await startOnDisk('always')
    // The destination accepts nothing until the power is cut.
    let isCut = false
    const receiver = await startReceiver({ script: [() => ({ status: isCut ? 200 : 503 })] })
    const often = { retry: { firstDelaySeconds: 0.2, maxDelaySeconds: 0.2, maxAttempts: 1000 } }
    await runHub(asUser(redis, 'hub'), toWebhook(receiver.url), often)
    const acknowledged = await handOverSome()
    await cutPower()
    isCut = true
    receiver.received.splice(0)
    const told = () => new Set(titlesOf(receiver)).size
    await expect.poll(told).toBe(acknowledged)
  })

  // This is why a hub warns of everysec at its start. It also proves that the cut of these tests can lose messages.
  it('may lose acknowledged messages with appendfsync everysec', async () => {
    const lost = async () => {
      const { acknowledged, kept } = await cutPowerOf('everysec')
      return acknowledged - kept
    }
    // At the moment of a cut, everything may have been written, so one try may lose nothing.
    await expect.poll(lost).toBeGreaterThan(0)
  })
})
