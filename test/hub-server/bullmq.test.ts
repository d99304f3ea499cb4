import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openShared } from '../../src/hub-server/bullmq.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome, root } from '../support/home.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

describe.skipIf(!hasRedis)('hub: the connection of its queues', () => {
  it('leads to this machine for a name below localhost, whatever a name server says', async () => {
    const { port } = await startRedis()
    const url = `redis://hub.localhost:${port}`
    const problems: unknown[] = []
    const settings = { url, allowUnencrypted: false }
    const { shared, close } = openShared(settings, (one) => problems.push(one))
    onTestFinished(close)
    expect([await Promise.race([shared.ping(), once(shared, 'error')]), problems]).toEqual([
      'PONG',
      [],
    ])
  })

  it('is not opened again by a queue whose hub has ended', async () => {
    const redis = await startRedis()
    const settings = { url: redis.url(), allowUnencrypted: false }
    const { shared, close } = openShared(settings, () => {})
    const left = shared.duplicate()
    onTestFinished(() => left.disconnect())
    left.on('error', () => {})
    await left.ping()
    close()
    await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await expect.poll(() => left.status).toBe('end')
  })
})

describe('hub: its packages', () => {
  it('are not bundled into the worker of a machine', () => {
    const worker = readFileSync(join(root, 'dist/worker-code.cjs'), 'utf8')
    expect(worker).not.toMatch(/bullmq|ioredis/i)
  })

  it.skipIf(!hasRedis)('are named in an error message when they are missing', async () => {
    const [redis, folder] = [await startRedis(), await makeFolder()]
    const home = await makeHome({ hub: { url: redis.url() } })
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true })
    const options = { env: home.env, extendEnv: false, reject: false } as const
    const { stderr, exitCode } = await execa(
      process.execPath,
      [join(folder, 'bin/hookbell'), 'hub'],
      options,
    )
    expect(stderr).toContain('hub: the packages bullmq and ioredis are not installed')
    expect(stderr).toContain('npm install -g bullmq')
    expect(exitCode).toBe(69)
  })
})
