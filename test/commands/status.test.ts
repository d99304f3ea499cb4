import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fallbackFolders } from '../../src/config/pinned.ts'
import { acceptEvent } from '../../src/spool/event-file.ts'
import { type Home, makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { runCommand } from '../support/run-command.ts'

const settings = (home: Home) => join(home.home, '.factory/settings.json')

// The checks themselves are tested in test/doctor/faults.test.ts.
describe('hookbell status', () => {
  it('shows each client with its last event, and exits with 0 when events arrive', async () => {
    const home = await makeHome()
    await home.run('init', '--client', 'droid', '--yes')
    const before = await home.run('status')
    expect(before.stdout).toMatch(/^droid +registered in .*settings\.json; no event yet$/m)
    expect(before.exitCode).toBe(0)
    home.accept({ hook_event_name: 'SubagentStop', session_id: 's' })
    await home.run('worker', '--once')
    expect((await home.run('status')).stdout).toMatch(/^droid .*; last event just now$/m)
    const { clients } = JSON.parse((await home.run('status', '--json')).stdout)
    expect(clients).toMatchObject([{ client: 'droid', problems: [], registered: [settings(home)] }])
    await home.run('uninstall', '--yes')
  })

  it('names the missing secrets of the hub and of each channel', async () => {
    const home = await makeHome({
      hub: { url: 'redis://127.0.0.1:1', password: '${HUB_PASSWORD}', channels: ['fleet'] },
      channels: {
        team: { type: 'slack', url: '${SLACK_URL}' },
        phone: { type: 'ntfy', topic: '${TOPIC}', token: '${TOKEN}' },
      },
    })
    const { stdout } = await home.run('status')
    expect(stdout.split('\n').filter((line) => /^x .*not set/.test(line))).toEqual([
      'x hub: ${HUB_PASSWORD} not set. Set it: hookbell secrets set HUB_PASSWORD',
      'x channel fleet: ${HUB_PASSWORD} not set. Set it: hookbell secrets set HUB_PASSWORD',
      'x channel team: ${SLACK_URL} not set. Set it: hookbell secrets set SLACK_URL',
      'x channel phone: ${TOPIC}, ${TOKEN} not set. Set it: hookbell secrets set TOPIC; hookbell secrets set TOKEN',
    ])
  })

  it('says how many events it has searched when none of them is of a client', async () => {
    const home = await makeHome()
    await home.run('init', '--client', 'droid,claude', '--yes')
    home.accept({ hook_event_name: 'SubagentStop', session_id: 's' }, 'droid')
    for (let count = 0; count < 50; count += 1)
      home.accept({ hook_event_name: 'SubagentStop', session_id: 's' }, 'claude')
    await home.run('worker', '--once')
    const { stdout } = await home.run('status')
    expect(stdout).toMatch(/^droid .*; none of the last 50 events$/m)
    expect(stdout).toMatch(/^claude .*; last event just now$/m)
    await home.run('uninstall', '--yes')
  })

  it('fails if no worker has taken an event for an hour, unless it is on hold', async () => {
    const home = await makeHome()
    await home.run('init', '--client', 'droid', '--yes')
    const id = home.accept({ hook_event_name: 'Stop' })
    const path = join(home.state, 'spool/new', id)
    const acceptedAgo = (minutes: number) => {
      const at = Date.now() / 1000 - minutes * 60
      utimesSync(path, at, at)
    }
    const problem =
      'x events wait, the oldest accepted 1 h ago, and no worker runs. Find the cause: hookbell doctor'
    acceptedAgo(59)
    expect((await home.run('status')).stdout).not.toContain('no worker runs')
    acceptedAgo(61)
    expect(await home.run('status')).toMatchObject({
      stdout: expect.stringContaining(problem),
      exitCode: 1,
    })
    await home.run('hold')
    expect((await home.run('status')).stdout).not.toContain('no worker runs')
    await home.run('uninstall', '--yes')
  })

  it('warns before waiting events are removed', async () => {
    const home = await makeHome()
    const waiting = join(home.state, 'spool/new')
    home.accept({ hook_event_name: 'Stop' })
    for (let count = 0; count < 9998; count += 1) writeFileSync(join(waiting, `e${count}`), '')
    expect((await home.run('status')).stdout).not.toContain('the oldest are removed')
    writeFileSync(join(waiting, 'last'), '')
    expect((await home.run('status')).stdout).toContain(
      'x 10000 events wait for a worker; the oldest are removed beyond a limit (10000 if no worker starts, 100000 otherwise)',
    )
  })

  it('exits with 1 when a question reached nobody, and names the channels that cannot be used', async () => {
    const { url } = await startReceiver({ script: [404] })
    const home = await makeHome({
      channels: {
        team: { type: 'slack', url: `${url}/services/x` },
        phone: { type: 'slack', url: '${PHONE_URL}' },
      },
      routes: [{ on: ['*'], to: ['team'] }],
    })
    home.accept({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' }, 'claude')
    await home.run('worker', '--once')
    const { exitCode, stdout } = await home.run('status')
    expect(stdout).toMatch(/^events +\d+: .*\b1 undelivered\b/m)
    expect(stdout).toMatch(/^phone +not usable; nothing sent yet/m)
    expect(stdout).toMatch(
      /^x 1 question reached nobody; the first: .*: permission needed \(team: .*404/m,
    )
    expect(stdout).toMatch(/^x channel phone: .*PHONE_URL/m)
    expect(exitCode).toBe(1)
  })

  it('exits with 1 when no client has the hooks', async () => {
    const home = await makeHome()
    const { exitCode, stdout } = await home.run('status')
    expect(stdout).toContain(
      'x no agent client has our hooks: nobody is notified. Next: hookbell init',
    )
    expect(exitCode).toBe(1)
  })
})

it.each(['status', 'config', 'config check', 'test audit'])(
  'hookbell %s escapes control characters in the name of a folder',
  async (command) => {
    const home = await makeHome()
    const name = 'a\u001b]0;b\u0007\u202ec\n'
    const env = {
      ...home.env,
      HOOKBELL_STATE_DIR: join(home.home, name, 'state'),
      HOOKBELL_CONFIG_DIR: join(home.home, name, 'config'),
    }
    mkdirSync(env.HOOKBELL_CONFIG_DIR, { recursive: true })
    const channels = { audit: { type: 'file', path: '~/audit.jsonl' } }
    const config = JSON.stringify({ channels, routes: [] })
    writeFileSync(join(env.HOOKBELL_CONFIG_DIR, 'config.json'), config)
    mkdirSync(env.HOOKBELL_STATE_DIR, { mode: 0o700 })
    writeFileSync(join(env.HOOKBELL_STATE_DIR, 'hookbell-hook'), '#!/bin/sh\n', { mode: 0o700 })
    const { stdout } = await runCommand(command.split(' '), { env, cwd: home.project })
    expect(stdout).toContain(String.raw`a\u001b]0;b\u0007\u202ec\n/config`)
    expect(stdout).not.toMatch(/[\u0007\u001b\u202e]|c\n\/(state|config)/)
  },
)

describe('status on a machine that only runs a hub', () => {
  it('does not report missing hooks, unlike on a machine that hands messages to a hub', async () => {
    const hub = { url: 'redis://127.0.0.1:1' }
    const home = await makeHome({ hub, channels: { audit: { type: 'file', path: '~/a' } } })
    const { stdout } = await home.run('status')
    expect(stdout).toMatch(/^hook +not installed; a hub needs no hooks$/m)
    expect(stdout).not.toContain('hookbell init')
    const machine = await makeHome({ hub: { ...hub, channels: ['team'] } })
    expect((await machine.run('status')).stdout).toContain('x no agent client has our hooks')
  })
})

describe.skipIf(process.platform === 'win32')('a folder of the spool that cannot be read', () => {
  it('is named by status, which shows everything else', async () => {
    const home = await makeHome()
    home.accept({ hook_event_name: 'Stop' })
    const folder = join(home.state, 'spool/dead')
    symlinkSync('dead', folder)
    const { exitCode, stdout } = await home.run('status')
    expect(stdout).toMatch(/^events +1: /m)
    expect(stdout).toContain(`x ${folder} cannot be read; the next worker opens it again`)
    expect(exitCode).toBe(1)
  })
})

describe.skipIf(process.platform === 'win32')('pipes in the state folder', () => {
  it('make no command wait', async () => {
    const home = await makeHome({ channels: { audit: { type: 'file', path: '~/audit.jsonl' } } })
    await home.run('init', '--client', 'droid', '--yes')
    home.accept({ hook_event_name: 'Stop' })
    await home.run('worker', '--once')
    const names = ['mutes.json', 'places.json', 'checkpoint.json', 'worker.lock']
    const deeper = [
      'runtime/package.json',
      'spool/cards/event-1.json',
      'spool/requests/flush',
      'spool/requests/handover',
    ]
    for (const name of [...names, ...deeper]) {
      rmSync(join(home.state, name), { force: true })
      spawnSync('mkfifo', [join(home.state, name)])
      expect(lstatSync(join(home.state, name)).isFIFO()).toBe(true)
    }
    for (const words of [['status'], ['doctor'], ['mute'], ['worker', '--once']]) {
      expect((await home.run(...words)).exitCode, words.join(' ')).toBeLessThan(2)
    }
  })
})

it.each(['{', '{"format":9,"mutes":[]}'])(
  'status says that nothing is muted if mutes.json is damaged: %s',
  async (text) => {
    const home = await makeHome({ channels: { audit: { type: 'file', path: '~/audit.jsonl' } } })
    await home.run('mute', '1h')
    expect((await home.run('status')).stdout).not.toContain('so nothing is muted')
    writeFileSync(join(home.state, 'mutes.json'), text)
    const { stdout, exitCode } = await home.run('status')
    expect(stdout).toMatch(
      /^x .*mutes\.json cannot be read, so nothing is muted\. Remove it, then/m,
    )
    expect(exitCode).toBe(1)
  },
)

describe('a channel without a route', () => {
  it('is mentioned by status and test without counting as a problem', async () => {
    const home = await makeHome({
      channels: {
        told: { type: 'file', path: '~/told.jsonl' },
        alone: { type: 'file', path: '~/alone.jsonl' },
      },
      routes: [{ on: ['done'], to: ['told'] }],
    })
    const test = await home.run('test', 'alone')
    expect(test.stdout).toContain('No route names it: no event reaches it')
    const { exitCode, stdout } = await home.run('status')
    expect(stdout).toMatch(/^alone +file; delivered just now: .*; no route names it: no event/m)
    expect(stdout).toMatch(/^told +file; nothing sent yet$/m)
    expect(exitCode).toBe(0)
    const { channels } = JSON.parse((await home.run('status', '--json')).stdout)
    expect(channels).toMatchObject([
      { name: 'told', isReachable: true },
      { name: 'alone', isReachable: false },
    ])
  })
})

describe.skipIf(process.platform === 'win32')('a state folder with several paths', () => {
  // Older versions shared this fallback folder between all state folders of a user.
  it('is counted once, also if it is the fallback folder', async () => {
    const home = await makeHome()
    home.env.HOOKBELL_STATE_DIR = join(home.env.XDG_RUNTIME_DIR, 'hookbell')
    home.accept({ hook_event_name: 'Stop' })
    symlinkSync(home.env.XDG_RUNTIME_DIR, join(home.home, 'link'))
    for (const name of [
      `${home.env.XDG_RUNTIME_DIR}/hookbell/`,
      join(home.home, 'link/hookbell'),
    ]) {
      home.env.HOOKBELL_STATE_DIR = name
      expect((await home.run('status')).stdout, name).toMatch(/^events +1: /m)
    }
  })
})

it.skipIf(process.getuid?.() !== 0)('a user ignores a fallback folder of root', async () => {
  const home = await makeHome()
  const [fallback = ''] = fallbackFolders(home.state, home.env)
  const payload = Buffer.from('{"hook_event_name":"Stop"}')
  acceptEvent(fallback, { client: 'droid', env: {} }, payload)
  spawnSync('chown', ['-R', '54321', home.home])
  spawnSync('chown', ['-R', '0', fallback])
  spawnSync('chmod', ['-R', 'a+rX', fallback])
  const user = ['--reuid', '54321', '--regid', '54321', '--clear-groups', process.execPath]
  const run = (...words: string[]) =>
    spawnSync('setpriv', [...user, join(root, 'bin/hookbell'), ...words], {
      ...{ env: home.env, cwd: home.home, encoding: 'utf8' },
    })
  const { stdout } = run('status')
  expect(stdout).toMatch(/^events +none yet$/m)
  expect(stdout).not.toContain(fallback)
  expect(run('mute', '1h')).toMatchObject({ status: 0, stderr: '' })
})
