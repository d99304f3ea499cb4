import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keychainCall } from '../../../src/config/secrets/keychain.ts'
import { makeHome } from '../../support/home.ts'
import { startReceiver } from '../../support/receiver.ts'

const tools = ['/usr/bin/secret-tool', '/usr/bin/gnome-keyring-daemon', '/usr/bin/dbus-daemon']
const hasKeychain = tools.every((tool) => existsSync(tool)) && spawnSync('true').status === 0

const CANARY = 'canary-7f3a91'

describe('the keychain', () => {
  it.each(['linux', 'darwin', 'win32'] as const)(
    'of %s is never called with a secret as an argument',
    (platform) => {
      for (const action of ['read', 'write', 'remove'] as const) {
        const { argv } = keychainCall(action, 'TOKEN', CANARY, platform)
        const hex = Buffer.from(CANARY).toString('hex')
        expect(argv.join(' ')).not.toMatch(new RegExp(`${CANARY}|${hex}`))
        expect(argv.join(' ')).toContain(
          action === 'write' && platform === 'darwin' ? '-i' : 'TOKEN',
        )
      }
      const { input } = keychainCall('write', 'TOKEN', CANARY, platform)
      expect(input).toMatch(new RegExp(`${CANARY}|${Buffer.from(CANARY).toString('hex')}`))
    },
  )

  it.each(["x';calc;'", 'a b', '$(x)', '', '-w'])('rejects the name %j', (name) => {
    expect(() => keychainCall('read', name)).toThrow('not the name of a secret')
  })

  it.skipIf(!hasKeychain)('of a real desktop stores a secret that a worker can use', async () => {
    const { url, received } = await startReceiver()
    const home = await makeHome({
      secrets: { HOOK: 'keychain' },
      channels: { team: { type: 'slack', url: `${url}/services/\${HOOK}` } },
      routes: [{ on: ['*'], to: ['team'] }],
      lingerSeconds: 0,
    })
    await startKeyring(home.env.XDG_RUNTIME_DIR, home.home)
    const set = await home.runWith(CANARY, 'secrets', 'set', 'HOOK', '--keychain')
    expect(set.stderr).toBe('')
    expect(set.stdout).toBe(
      'HOOK is in the keychain. Say so in your configuration: "secrets": { "HOOK": "keychain" }',
    )
    expect((await home.run('secrets')).stdout).toBe('HOOK  the keychain  for team')
    home.accept({ hook_event_name: 'Stop' })
    await home.run('worker', '--once')
    expect(received.map(({ path }) => path)).toEqual([`/services/${CANARY}`])
    expect((await home.run('secrets', 'unset', 'HOOK', '--keychain')).exitCode).toBe(0)
    const test = await home.run('test', 'team')
    expect(test.stderr).toContain('the keychain ended with status 1')
  })
})

/** Starts a separate bus with an unlocked keyring; both end with the test. */
async function startKeyring(runtime: string, home: string) {
  mkdirSync(runtime, { recursive: true, mode: 0o700 })
  const address = `unix:path=${encodeURI(join(runtime, 'bus'))}`
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    DBUS_SESSION_BUS_ADDRESS: address,
  }
  const bus = spawn('dbus-daemon', ['--session', '--nofork', `--address=${address}`], {
    env,
    stdio: 'ignore',
  })
  onTestFinished(() => void bus.kill('SIGKILL'))
  await expect.poll(() => existsSync(join(runtime, 'bus'))).toBe(true)
  const keyring = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--unlock', '--components=secrets'],
    {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  onTestFinished(async () => {
    keyring.kill('SIGKILL')
    await once(keyring, 'exit')
  })
  keyring.stdin.end('password')
  const ask = [
    'call',
    '--session',
    '--dest',
    'org.freedesktop.DBus',
    '--object-path',
    '/',
    '--method',
    'org.freedesktop.DBus.NameHasOwner',
    'org.freedesktop.secrets',
  ]
  await expect
    .poll(() => spawnSync('gdbus', ask, { env, encoding: 'utf8' }).stdout)
    .toContain('true')
}
