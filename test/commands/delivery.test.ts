import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority } from '../support/authority.ts'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { hasTerminal, runInTerminal } from '../support/terminal.ts'

const stop = { hook_event_name: 'Stop', session_id: 's1', cwd: '/srv/api-server' }
const toFile = (path: string) => ({
  channels: { audit: { type: 'file', path } },
  routes: everything('audit'),
})
const everything = (channel: string) => [{ on: ['*'], to: [channel] }]

describe('commands: outcome of events', () => {
  it('status counts every accepted event', async () => {
    const { url } = await startReceiver({ script: [404] })
    const home = await makeHome({
      channels: { audit: { type: 'file', path: '/dev/null/no' }, team: { type: 'slack', url } },
      routes: [{ on: ['Stop'], to: ['team'] }],
    })
    home.accept(stop)
    home.accept({ ...stop, hook_event_name: 'SubagentStop' })
    home.accept('not json')
    await home.run('worker', '--once')
    home.accept(stop)
    const { stdout, exitCode } = await home.run('status', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      // One is our own notification that the channel is dead. There is no desktop to show it.
      accepted: 5,
      delivered: 0,
      suppressed: 2,
      dead: 2,
      waiting: 1,
      problems: ['2 dead: see hookbell dead'],
    })
    expect(exitCode).toBe(1)
  })

  const token = `1:${'a'.repeat(30)}`
  it.each([
    ['webhook', (url: string) => ({ url }), 'ok'],
    ['slack', (url: string) => ({ url }), 'ok'],
    ['discord', (url: string) => ({ url }), '{"id":"1"}'],
    ['teams', (url: string) => ({ url }), ''],
    ['ntfy', (server: string) => ({ server, topic: 'shop' }), '{"id":"x","event":"message"}'],
    [
      'telegram',
      (server: string) => ({ server, token, chat: 1 }),
      '{"ok":true,"result":{"message_id":1,"chat":{"id":1}}}',
    ],
  ] as const)('test of %s trusts the configured authority', async (type, options, answer) => {
    const authority = await makeAuthority()
    onTestFinished(authority.remove)
    const own = await authority.issue('IP:127.0.0.1')
    const server = createServer(own, (_, response) => response.end(answer)).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const home = await makeHome({
      extraCaFile: authority.file,
      channels: { it: { type, ...options(url) } },
    })
    expect(await home.run('test', 'it')).toMatchObject({ exitCode: 0 })
  })

  it('test trusts an authority in the home folder', async () => {
    const authority = await makeAuthority()
    onTestFinished(authority.remove)
    const own = await authority.issue('IP:127.0.0.1')
    const server = createServer(own, (_, response) => response.end()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const home = await makeHome({
      extraCaFile: '~/ca.pem',
      channels: { it: { type: 'webhook', url } },
    })
    copyFileSync(authority.file, join(home.home, 'ca.pem'))
    expect(await home.run('test', 'it')).toMatchObject({ exitCode: 0 })
  })

  it('status names a missing certificate file', async () => {
    const home = await makeHome({ extraCaFile: '/nowhere/ca.pem' })
    const doctor = await home.run('doctor', '--offline')
    expect(doctor.stdout).toMatch(/warning +config.warning: extraCaFile: no file \/nowhere\/ca.pem/)
    const { stdout } = await home.run('status', '--json')
    expect(JSON.parse(stdout).problems).toContain('extraCaFile: no file /nowhere/ca.pem')
  })

  it('status names an invalid template of the user', async () => {
    const home = await makeHome({})
    const folder = join(home.env.HOOKBELL_CONFIG_DIR, 'templates/plain')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'done.liquid'), '{{ project | nope }}')
    const { stdout, exitCode } = await home.run('status')
    expect(stdout).toContain(`x ${join(folder, 'done.liquid')}: undefined filter: nope, line:1`)
    expect(exitCode).toBe(1)
  })

  it.runIf(hasTerminal)('test rings the terminal that it runs in', async () => {
    const channels = { bell: { type: 'terminal', mode: 'bell' } }
    const { env } = await makeHome({ channels, routes: everything('bell'), lingerSeconds: 0 })
    const { text, exitCode } = await runInTerminal({ env }, 'test', 'bell')
    expect(text).toMatch(/ok.* bell: bell to \/dev\/pts\/\d+/)
    expect(text).toContain('\u0007')
    expect(exitCode).toBe(0)
  })

  it('log says why the duplicate event of a second registration was suppressed', async () => {
    const home = await makeHome({ lingerSeconds: 0, ...toFile('~/audit.jsonl') })
    for (const scope of ['--user', '--project']) {
      expect(await home.run('init', '--client', 'claude', '--yes', scope)).toMatchObject({
        exitCode: 0,
      })
    }
    for (const folder of [home.home, home.project]) {
      const settings = JSON.parse(readFileSync(join(folder, '.claude/settings.json'), 'utf8'))
      const { command } = settings.hooks.Stop[0].hooks[0]
      await execa('sh', ['-c', command], { env: home.env, input: JSON.stringify(stop) })
    }
    const log = async () => JSON.parse((await home.run('log', '--json')).stdout)
    await expect.poll(log).toMatchObject([
      { outcome: 'delivered' },
      {
        outcome: 'suppressed',
        reason: expect.stringMatching(/^the same event as \w{8}, from your/),
      },
    ])
  })

  it('log lists each event with its outcome, and shows one in full', async () => {
    const { url } = await startReceiver()
    const home = await makeHome({
      channels: { team: { type: 'slack', url } },
      routes: everything('team'),
    })
    const id = home.accept({ ...stop, last_assistant_message: 'All green' })
    await home.run('worker', '--once')
    const { stdout: all } = await home.run('log')
    expect(all).toMatch(/delivered {2}s1 {2}Droid · api-server: done · All green {2}team/)
    const { stdout: one } = await home.run('log', id)
    expect(one).toContain('team: delivered (1 attempt): ok')
    const { stdout: json } = await home.run('log', id, '--json')
    expect(JSON.parse(json)).toMatchObject({
      id,
      outcome: 'delivered',
      title: 'Droid · api-server: done',
    })
  })

  it('dead lists failed events with the reason, and dead retry keeps their id', async () => {
    const { url, received } = await startReceiver({ script: [404, 200] })
    const home = await makeHome({
      channels: { team: { type: 'slack', url } },
      routes: everything('team'),
    })
    const id = home.accept(stop)
    await home.run('worker', '--once')
    const { stdout: dead } = await home.run('dead')
    expect(dead).toMatch(new RegExp(`^${id.slice(0, 8)} .*api-server: done {2}team: .*404`))
    expect((await home.run('dead', 'retry', id)).stdout).toContain('1 put back')
    await home.run('worker', '--once')
    expect((await home.run('log', id)).stdout).toContain('team: delivered')
    expect(received).toHaveLength(2)
    expect((await home.run('dead')).stdout).toBe('Nothing is dead')
  })

  it('dead drop deletes the files of the event', async () => {
    const home = await makeHome()
    const id = home.accept('no json at all')
    await home.run('worker', '--once')
    const { stdout } = await home.run('dead')
    expect(stdout).toContain('the event is not JSON')
    expect(stdout).toMatch(/\nNext: hookbell dead retry ID, or /)
    expect((await home.run('log')).stdout).toMatch(/ {2}dead {2}droid {2}/)
    expect((await home.run('dead', 'drop', id)).stdout).toBe('1 dropped')
    expect(readdirSync(join(home.state, 'spool/dead'))).toEqual([])
    const counts = { accepted: 1, suppressed: 1, dead: 0 }
    expect(JSON.parse((await home.run('status', '--json')).stdout)).toMatchObject(counts)
    expect((await home.run('log', id)).stdout).toContain('reason   dropped by hand')
  })

  it('dead drop leaves the other channels of the event as they are', async () => {
    const gone = await startReceiver({ script: [404] })
    const works = await startReceiver()
    const [team, other] = [gone, works].map(({ url }) => ({
      ...{ type: 'slack', url: `${url}/services/x` },
    }))
    const home = await makeHome({
      channels: { team, other },
      routes: [{ on: ['Stop'], to: ['team', 'other'] }],
    })
    const id = home.accept(stop)
    await home.run('worker', '--once')
    expect((await home.run('dead', 'drop', id)).stdout).toBe('1 dropped')
    const { stdout } = await home.run('log', id)
    // In the order in which the receivers answered.
    expect(stdout).toMatch(/other: delivered/)
    expect(stdout).toMatch(/team: suppressed \(1 attempt\): dropped by hand/)
    expect((await home.run('why', id)).stdout).toMatch(/team +.* dropped: dropped by hand/)
  })

  it('worker exits when no event arrives any more', async () => {
    const home = await makeHome({ routes: [{ on: ['*'], to: ['desktop'] }], lingerSeconds: 0 })
    home.accept(stop)
    const { stdout, exitCode } = await home.run('worker')
    expect({ stdout, exitCode }).toEqual({ stdout: '1 handled; see: hookbell log', exitCode: 0 })
    expect(readdirSync(home.state)).not.toContain('worker.lock')
  })
})

describe('commands: test', () => {
  it('prints the response of the receiver', async () => {
    const { url, received } = await startReceiver({
      script: [{ status: 200, body: '{"ok":true}' }],
    })
    const home = await makeHome({ channels: { team: { type: 'slack', url } } })
    const { stdout, exitCode } = await home.run('test', 'team')
    expect({ stdout, exitCode }).toEqual({ stdout: 'ok team: {"ok":true}', exitCode: 0 })
    expect(received[0]?.body).toContain('This is a test of the channel')
  })

  it('reports that no route names the channel', async () => {
    const { url } = await startReceiver()
    const channels = { team: { type: 'slack', url }, desk: { type: 'desktop' } }
    const home = await makeHome({ channels, routes: [{ on: ['*'], to: ['desk'] }] })
    const { stdout, exitCode } = await home.run('test', 'team')
    expect(stdout).toContain('\nNo route names it: no event reaches it. See routes in ')
    expect(exitCode).toBe(0)
  })

  it('prints the reason of a failure without the URL, and exits with 69', async () => {
    const { url } = await startReceiver({ script: [{ status: 404, body: 'no_service' }] })
    const home = await makeHome({
      channels: { team: { type: 'slack', url: `${url}/secret-path` } },
    })
    const { stderr, exitCode } = await home.run('test', 'team')
    expect(stderr).toContain('no_service')
    expect(stderr).not.toContain('secret-path')
    expect(exitCode).toBe(69)
    const json = await home.run('test', 'team', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ channel: 'team', state: 'exhausted' })
    expect(json.exitCode).toBe(69)
  })

  it('names an unset variable, and the command that sends the message once it is set', async () => {
    const { url, received } = await startReceiver()
    const home = await makeHome({
      channels: {
        team: { type: 'slack', url: '${SLACK_WEBHOOK_URL}' },
        phone: { type: 'ntfy', topic: '${NTFY_TOPIC}' },
      },
    })
    const { stderr } = await home.run('test', 'team')
    expect(stderr).toContain('${SLACK_WEBHOOK_URL} not set')
    expect(stderr).toContain('Set it: hookbell secrets set SLACK_WEBHOOK_URL. It is tried')
    expect(stderr).toContain('or now with: hookbell flush')
    await home.runWith(`${url}/services/x`, 'secrets', 'set', 'SLACK_WEBHOOK_URL')
    await home.run('flush')
    expect(received).toHaveLength(1)
  })

  it('names the command that retries a failed message at once', async () => {
    const { url, received } = await startReceiver({ script: [503, 200] })
    const home = await makeHome({
      channels: { team: { type: 'slack', url: `${url}/services/x` } },
      retry: { firstDelaySeconds: 900 },
    })
    const { stderr } = await home.run('test', 'team')
    expect(stderr).toContain('or now with: hookbell flush')
    const { stdout } = await home.run('status')
    expect(stdout).toMatch(/^team +slack; deferred, next in \d+ min: slack: 503/m)
    expect(stdout).toMatch(/^worker +not running .*, or to try again: hookbell flush\)$/m)
    const doctor = await home.run('doctor', '--offline')
    expect(doctor.stdout).toMatch(
      /warning +channel\.team: deferred, next \d{4}-\d\d-\d\d \d\d:\d\d: slack: 503/,
    )
    await home.run('flush')
    expect(received).toHaveLength(2)
  })

  describe('for a channel of a hub that may be bypassed', () => {
    const refused = 'team: cannot stand in for the hub: ${SLACK_WEBHOOK_URL} not set'

    async function makeHubHome(url: string) {
      return await makeHome({
        hub: { url, channels: ['team'], after: 'direct' },
        channels: { team: { type: 'slack', url: '${SLACK_WEBHOOK_URL}' } },
        routes: everything('team'),
      })
    }

    it('names a secret that only the bypass needs, and how to set it', async () => {
      const home = await makeHubHome('redis://127.0.0.1:1')
      const { stderr } = await home.run('test', 'team')
      expect(stderr).toContain(`${refused}. Set it: `)
      const status = await home.run('status')
      expect(status.stdout).toContain(`x channel ${refused}. Set it: `)
      const doctor = JSON.parse((await home.run('doctor', '--json')).stdout)
      expect(doctor.checks).toContainEqual({
        id: 'channel.team',
        status: 'warning',
        seen: refused.replace('team: ', ''),
        do: 'hookbell secrets set SLACK_WEBHOOK_URL',
      })
      expect((await home.run('config', 'check')).stdout).toContain(`! channel ${refused}`)
      writeFileSync(
        join(home.env.HOOKBELL_CONFIG_DIR, 'secrets.env'),
        'SLACK_WEBHOOK_URL=https://hooks.slack.com/services/T0/B0/abc\n',
        { mode: 0o600 },
      )
      for (const words of [['test', 'team'], ['status'], ['doctor'], ['config', 'check']]) {
        const { stdout, stderr } = await home.run(...words)
        expect(stdout + stderr).not.toContain('stand in')
      }
    })

    it.runIf(hasRedis)('names that secret although the hub accepts the message', async () => {
      const redis = await startRedis()
      const { stdout, exitCode } = await (await makeHubHome(redis.url())).run('test', 'team')
      expect(stdout).toMatch(/^ok team: /)
      expect(stdout).toContain(`! ${refused}. Set it: `)
      expect(exitCode).toBe(0)
    })
  })
})
