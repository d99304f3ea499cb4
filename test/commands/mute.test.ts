import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { muteUntil } from '../../src/commands/mute/until.ts'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

const question = {
  hook_event_name: 'Notification',
  notification_type: 'permission_prompt',
  message: 'May I?',
  session_id: 's1',
}

async function makeMuteHome() {
  const { url, received } = await startReceiver()
  const home = await makeHome({
    channels: {
      team: { type: 'slack', url: `${url}/services/x` },
      audit: { type: 'file', path: '~/audit.jsonl' },
    },
    routes: [{ on: ['*'], to: ['team', 'audit'] }],
    lingerSeconds: 0,
  })
  const tell = async (event: object = {}) => {
    home.accept({ ...question, ...event })
    await home.run('worker', '--once')
  }
  return { home, received, tell }
}

describe('hookbell mute', () => {
  it.runIf(process.getuid?.() === 0)('creates no file of root in the state of a user', async () => {
    const home = await makeHome()
    Object.assign(home.env, { SUDO_UID: '54321' })
    mkdirSync(home.state, { mode: 0o700 })
    chownSync(home.state, 54_321, 54_321)
    const { stderr, exitCode } = await home.run('mute', '1h')
    expect(stderr).toBe(
      `x spool: ${home.state}: belongs to another user (uid 54321)\n  Run hookbell as that user, without sudo`,
    )
    expect(exitCode).toBe(73)
    expect(readdirSync(home.state)).toEqual([])
  })

  it('silences questions on request, in every later worker, until unmute, but file channels still write', async () => {
    const { home, received, tell } = await makeMuteHome()
    const { stdout } = await home.run('mute', '2h', '--questions')
    expect(stdout).toMatch(/^Muted until \d{4}-\d\d-\d\d \d\d:\d\d, questions too\. Take it back/)
    expect((await home.run('status')).stdout).toMatch(
      /^muted +until \d{4}-\d\d-\d\d \d\d:\d\d, questions too; take it back with: hookbell unmute$/m,
    )
    await tell()
    await tell({ session_id: 's2' })
    expect(received).toEqual([])
    expect(home.read('audit.jsonl').trim().split('\n')).toHaveLength(2)
    const why = await home.run('why')
    expect(why.stdout).toMatch(/team +suppressed by the rule mute: Muted until .*, questions too/)
    expect((await home.run('unmute')).stdout).toBe('No longer muted')
    expect((await home.run('status')).stdout).not.toMatch(/^muted/m)
    expect(existsSync(join(home.state, 'mutes.json'))).toBe(false)
    await tell({ session_id: 's3' })
    expect(received).toHaveLength(1)
    expect((await home.run('unmute')).stdout).toBe('Nothing was muted')
  })

  it('leaves questions alone', async () => {
    const { home, received, tell } = await makeMuteHome()
    await home.run('mute', '--session', 's1')
    await tell({ hook_event_name: 'StopFailure', error: 'server_error' })
    expect(received).toEqual([])
    await tell()
    expect(received).toHaveLength(1)
  })

  it('silences a single session or project', async () => {
    const { home, received, tell } = await makeMuteHome()
    await home.run('mute', '--session', 's1', '--questions')
    await home.run('mute', '1h', '--project', '.', '--questions')
    await tell()
    await tell({ session_id: 's2', cwd: home.project })
    expect(received).toEqual([])
    await tell({ session_id: 's3', cwd: '/srv/other' })
    expect(received).toHaveLength(1)
    await home.run('unmute', '--session', 's1')
    await tell({ session_id: 's1-b' })
    expect(received).toHaveLength(2)
    await tell({ session_id: 's4', cwd: home.project })
    expect(received).toHaveLength(2)
  })

  it('says that no recent event matches the mute, for example because of a typo', async () => {
    const { home, tell } = await makeMuteHome()
    await tell({ cwd: home.project })
    const unseen = async (option: string, value: string) =>
      (await home.run('mute', option, value)).stdout.split('\n').find((line) => /^No /.test(line))
    const name = basename(home.project)
    expect(await unseen('--project', `${name}x`)).toBe(
      `No recent event is of the project ${name}x. Did you mean "${name}"?`,
    )
    expect(await unseen('--session', 's9')).toBe(
      'No recent event is of a session whose id begins with s9.',
    )
    expect(await unseen('--project', name)).toBeUndefined()
    expect(await unseen('--project', '/srv/other')).toBeUndefined()
    expect(await unseen('--session', 's1')).toBeUndefined()
    expect(await unseen('--kind', 'done')).toBeUndefined()
  })

  it('escapes control and invisible characters of a name, as does status', async () => {
    const { home } = await makeMuteHome()
    const name = 'a\u001b]0;b\u0007\u202ec\u009bd\u200b'
    const outputs = [
      await home.run('mute', '--project', name),
      await home.run('status'),
      await home.run('status', '--json'),
    ]
    for (const { stdout } of outputs) {
      expect(stdout).toContain(String.raw`a\u001b]0;b\u0007\u202ec\u009bd\u200b`)
      expect(stdout).not.toMatch(/[\u0007\u001b\u009b\u202e\u200b]/)
    }
    expect(JSON.parse(outputs[2]?.stdout ?? '').mutes[0].project).toBe(name)
  })

  it.each([
    ['one\ntwo', String.raw`one\ntwo`],
    ['one\rtwo', String.raw`one\u000dtwo`],
    ['one\r\ntwo', String.raw`one\r\ntwo`],
  ])('shows the name %j on one line, as does status', async (name, shown) => {
    const { home } = await makeMuteHome()
    const { stdout } = await home.run('mute', '--project', name)
    expect(stdout).toContain(`(project ${shown}), for an hour. Questions still come.`)
    expect(stdout).toContain(`No recent event is of the project ${shown}.`)
    const row = (await home.run('status')).stdout.split('\n').find((one) => /^muted /.test(one))
    expect(row).toContain(`(project ${shown})`)
    expect(row).toMatch(/unmute --project \$'one\S+two'$/)
  })

  it.each(["it's \u001b[31mred\u202e", "it's\none \r\n\rtwo"])(
    'prints a command that ends the mute of the project %j',
    async (name) => {
      const { home } = await makeMuteHome()
      const shown = (await home.run('mute', '--project', name)).stdout
      const [words] = /(?<=hookbell unmute ).*/.exec(shown) ?? []
      const typed = execFileSync('bash', ['-c', `printf '%s,' ${words}`], {
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      })
      expect(`${typed}`).toBe(`--project,${name},`)
    },
  )

  it('shows what else is muted', async () => {
    const { home } = await makeMuteHome()
    await home.run('mute', 'until', 'unmute', '--project', 'shop')
    const { stdout } = await home.run('mute')
    expect(stdout).toMatch(/^Muted until \S+ \d\d:\d\d, for an hour\. Questions still come\./)
    expect(stdout.split('\n').slice(1)).toEqual(['Also muted without an end (project shop)'])
  })

  it('says when another mute remains', async () => {
    const { home } = await makeMuteHome()
    await home.run('mute')
    const unmute = async () => (await home.run('unmute', '--project', 'shop')).stdout
    expect(await unmute()).toBe('There is no such mute. Other mutes remain: see hookbell status')
    await home.run('mute', '1h', '--project', 'shop')
    expect(await unmute()).toBe('Ended. Other mutes remain: see hookbell status')
    expect((await home.run('unmute')).stdout).toBe('No longer muted')
  })

  it('silences a single kind', async () => {
    const { home, received, tell } = await makeMuteHome()
    const failed = { hook_event_name: 'StopFailure', error: 'server_error', session_id: 's2' }
    const { stdout } = await home.run('mute', '--kind', 'failed')
    expect(stdout).toMatch(
      /^Muted until \S+ \d\d:\d\d \(kind failed\), for an hour\. Take it back with: .*hookbell unmute --kind 'failed'$/m,
    )
    expect((await home.run('status')).stdout).toMatch(/^muted .*hookbell unmute --kind 'failed'$/m)
    await tell(failed)
    expect(received).toEqual([])
    await tell()
    expect(received).toHaveLength(1)
    await home.run('unmute', '--kind', 'failed')
    await tell(failed)
    expect(received).toHaveLength(2)
  })

  it.each([
    ['--session', '', /--session takes the start of an id, not ""/],
    ['--project', '', /--project takes a name or a folder, not ""/],
    ['--kind', '', /no kind is called ""/],
    ['--kind', 'don', /no kind is called "don"\n {2}Did you mean "done"\?/],
  ])('rejects %s %j, which would mute everything', async (option, value, message) => {
    const home = await makeHome()
    for (const command of ['mute', 'unmute']) {
      const { exitCode, stderr } = await home.run(command, option, value)
      expect(exitCode).toBe(64)
      expect(stderr).toMatch(message)
    }
    expect(existsSync(join(home.state, 'mutes.json'))).toBe(false)
  })

  it.each(['', 'damaged', '{"format":1,"mutes":[{"until":"soon"}]}'])(
    'mutes nothing when its file contains %j',
    async (text) => {
      const { home, received, tell } = await makeMuteHome()
      await home.run('mute', '--questions')
      writeFileSync(join(home.state, 'mutes.json'), text)
      await tell()
      expect(received).toHaveLength(1)
    },
  )

  it.each(['soon', 'until', '0m', '2', '2h x', 'until 25:00'])('rejects %j', async (words) => {
    const { home } = await makeMuteHome()
    const { exitCode, stderr } = await home.run('mute', ...words.split(' '))
    expect(exitCode).toBe(64)
    expect(stderr).toContain('hookbell mute until 9:00')
  })
})

describe('the end of a mute', () => {
  const now = new Date(2026, 10, 20, 22, 30)

  it.each([
    ['', now.getTime() + 3_600_000],
    ['until unmute', 0],
    ['30m', new Date(2026, 10, 20, 23, 0).getTime()],
    ['1h30m', new Date(2026, 10, 21, 0, 0).getTime()],
    ['1d', now.getTime() + 86_400_000],
    ['until 23:00', new Date(2026, 10, 20, 23, 0).getTime()],
    ['until 9:00', new Date(2026, 10, 21, 9, 0).getTime()],
    ['until 9', new Date(2026, 10, 21, 9, 0).getTime()],
    ['until 22:30', new Date(2026, 10, 21, 22, 30).getTime()],
  ])('is parsed from %j', (words, expected) => {
    expect(muteUntil(words.split(' ').filter(Boolean), now)).toBe(expected)
  })
})
