import { spawnSync } from 'node:child_process'
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { handOver } from './_hub.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0

/** The number of bytes of the append-only file that were certainly synced to disk. */
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

/** Hands over for a while, cuts the power, restarts Redis. @returns the acknowledged and the remaining records */
async function cutPower(appendfsync: string) {
  const trace = join(await makeFolder(), 'trace')
  const calls = ['-qq', '-y', '-s', '1', '-e', 'trace=write,fsync,fdatasync']
  const redis = await startRedis({
    // With -D, the started process is Redis itself.
    prefix: ['strace', '-D', '-f', ...calls, '-o', trace],
    args: ['--appendfsync', appendfsync],
  })
  let acknowledged = 0
  for (const end = Date.now() + 1500; Date.now() < end; acknowledged++)
    await handOver(redis, `e${acknowledged}`)
  await redis.stop('SIGKILL')
  const synced = syncedBytes(readFileSync(trace, 'utf8'))
  truncateSync(join(redis.folder, 'appendonlydir/appendonly.aof.1.incr.aof'), synced)
  await redis.start()
  return { acknowledged, kept: Number(await redis.ask('LLEN', 'hb:in')) }
}

describe.skipIf(!hasRedis || !hasStrace)('hub: a power cut', () => {
  it('loses no acknowledged record with appendfsync always', async () => {
    const { acknowledged, kept } = await cutPower('always')
    expect(acknowledged).toBeGreaterThan(10)
    expect(kept).toBe(acknowledged)
  })

  // Shows why a hub warns of this setting at its start, and that this simulated cut loses data.
  it('loses the latest records with appendfsync everysec', async () => {
    const { acknowledged, kept } = await cutPower('everysec')
    expect(kept).toBeLessThan(acknowledged)
  })
})
