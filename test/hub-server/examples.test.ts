import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { aclLines } from '../../src/hub/keys.ts'
import { makeAuthority } from '../support/authority.ts'
import { makeFolder } from '../support/folder.ts'
import { root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { makeMachine, startHubProcess } from './_fleet.ts'

const example = (name: string) => readFileSync(join(root, 'examples/hub', name), 'utf8')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

/** Commands that must fail with the stolen password of a machine. */
const probes = [
  ...[
    'GET hb:router',
    'SET hb:in x',
    'APPEND hb:in x',
    'DEL hb:in',
    'UNLINK hb:in',
    'EXPIRE hb:in 1',
  ],
  ...[
    'LPUSH hb:in x',
    'RPUSHX hb:in x',
    'LPOP hb:in',
    'LRANGE hb:in 0 -1',
    'LLEN hb:in',
    'LTRIM hb:in 1 0',
  ],
  ...['RENAME hb:in x', 'COPY hb:in x', 'SORT hb:in', 'DUMP hb:in', 'LMOVE hb:in hb:in LEFT LEFT'],
  ...['RPUSH hb:taken x', 'RPUSH hb:held x', 'RPUSH other x', 'BLPOP hb:in 1', 'EXISTS hb:seen:x'],
  ...[
    'KEYS *',
    'SCAN 0',
    'RANDOMKEY',
    'DBSIZE',
    'FLUSHALL',
    'FLUSHDB',
    'SELECT 1',
    'SWAPDB 0 1',
    'MULTI',
  ],
  ...[
    'EVAL return 0',
    'SCRIPT FLUSH',
    'FUNCTION LIST',
    'SUBSCRIBE x',
    'PUBLISH x y',
    'MONITOR',
    'INFO',
  ],
  ...['CONFIG GET *', 'ACL LIST', 'ACL WHOAMI', 'CLIENT LIST', 'CLIENT KILL ID 1', 'SAVE'],
  ...[
    'SHUTDOWN',
    'REPLICAOF 127.0.0.1 1',
    'MODULE LIST',
    'OBJECT ENCODING hb:in',
    'PING',
    'WAIT 0 0',
  ],
]

describe.skipIf(!hasRedis)('hub: the example files', () => {
  it('serve a machine and a hub over TLS, and let a stolen machine password only append records', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const tls = await authority.issue('IP:127.0.0.1')
    const users = example('users.acl').replace(/>\w+/g, '>secret').trim().split('\n')
    expect(users.map((line) => line.replace('>secret', '>'))).toEqual(
      aclLines.map((line) => line.replace(/>\w+/, '>')),
    )
    // Ports and folders are those of the test.
    const args = example('redis.conf')
      .split('\n')
      .filter((line) => line && !/^(#|bind|port|tls-(port|cert|key)|aclfile)/.test(line))
      .flatMap((line) => line.split(' ').map((word, index) => (index === 0 ? `--${word}` : word)))
    const redis = await startRedis({ tls, users, args })
    const as = (user: string) => ({ url: redis.url(user), password: 'secret', ca: authority.file })
    const receiver = await startReceiver()
    const channels = { team: { type: 'webhook', url: receiver.url, allowPrivateNetwork: true } }
    const hub = await startHubProcess(as('hub'), channels)
    const machine = await makeMachine(as('machine'), ['team'])
    machine.finish('team', 's', 'hello')
    expect(await machine.drain()).toMatchObject({ exitCode: 0 })
    await expect.poll(() => receiver.received.length).toBe(1)

    const thief = new RedisConnection({ ...as('machine'), allowUnencrypted: false })
    onTestFinished(() => thief.close())
    const refused = await Promise.all(
      probes.map((probe) => thief.call(...probe.split(' ')).then(String, ({ code }) => code)),
    )
    const allowed = probes.filter((_, index) => refused[index] !== 'NOPERM')
    expect(allowed).toEqual([])
    expect(hub.lines().filter(({ state }) => state === 'problem')).toEqual([])
  })

  it.skipIf(!hasSystemd)('contain a unit that systemd accepts', async () => {
    const file = join(await makeFolder(), 'hookbell-hub.service')
    // The user is created during installation.
    writeFileSync(file, example('hookbell-hub.service').replace('User=hookbell-hub', 'User=root'))
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    const ours = stderr.split('\n').filter((line) => line.includes('hookbell-hub'))
    expect({ status, ours }).toEqual({ status: 0, ours: [] })
  })
})
