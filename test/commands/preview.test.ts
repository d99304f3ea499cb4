import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

const mail = {
  type: 'email',
  smtp: 'smtps://bell:canary-passw0rd@mail.example.com',
  from: 'bell@example.com',
  to: ['me@example.com'],
}

const stop = {
  hook_event_name: 'Stop',
  session_id: '00000001-2222-4333-8444-555555555555',
  last_assistant_message: 'I looked.\n\nShall I **go on** with 2 * 3, <!channel>?',
}

describe('hookbell preview', () => {
  it('prints the same message as the channel sends for the event', async () => {
    const { url, received } = await startReceiver()
    const home = await makeHome({
      channels: { team: { type: 'slack', url: `${url}/services/canary5ecret` } },
      routes: [{ on: ['done'], to: ['team'], template: 'short' }],
      lingerSeconds: 0,
    })
    const folder = join(home.env.HOOKBELL_CONFIG_DIR, 'templates')
    await execa('mkdir', ['-p', join(folder, 'plain'), join(folder, 'slack')])
    writeFileSync(join(folder, 'plain/short.liquid'), 'Short: {{ project }}')
    writeFileSync(join(folder, 'slack/short.liquid'), '*{{ label }}* {{ headline }}')
    const payload = { ...stop, cwd: home.project }
    writeFileSync(join(home.home, 'event.json'), JSON.stringify(payload))
    const file = join(home.home, 'event.json')
    const preview = await home.run('preview', file, '--channel', 'team', '--client', 'droid')
    expect(preview).toMatchObject({ exitCode: 0, stderr: '' })
    expect(preview.stdout).not.toContain('canary')
    expect(received).toEqual([])

    home.accept(payload)
    await home.run('worker', '--once')
    // The timestamps differ.
    const withoutTime = (text: string) => text.replaceAll(/<!date[^>]*>/g, '<time>')
    const shown = JSON.parse(withoutTime(preview.stdout))
    expect(shown).toEqual(JSON.parse(withoutTime(received[0]?.body ?? '{}')))
    expect(shown.text).toBe('Short: api-server')
    expect(JSON.stringify(shown)).toContain('*go on*')
    expect(JSON.stringify(shown)).not.toContain('<!channel>')
  })

  it('prints the headers and text of a mail and writes its HTML to a file', async () => {
    const home = await makeHome({ channels: { mail } })
    const html = join(home.home, 'mail.html')
    const { stdout, exitCode } = await home.run('preview', 'question', '--html', html)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Subject: Claude · api-server: asks you\n')
    expect(stdout).toContain('(1 of 2, choose one)\n\n1. PostgreSQL: As all other data\n')
    expect(readFileSync(html, 'utf8')).toContain('<li>PostgreSQL: As all other data</li>')
    expect(stdout).not.toContain('canary')
  })

  it.each(['permission', 'question', 'waiting', 'done', 'failed', 'ended', 'abnormal-end'])(
    'has a sample event: %s',
    async (name) => {
      const home = await makeHome({ channels: { log: { type: 'file', path: '~/log' } } })
      const { stdout, exitCode } = await home.run('preview', name)
      expect(exitCode).toBe(0)
      const kind = name === 'question' ? 'permission' : name
      const title = expect.stringMatching(/^(Claude|Droid) · api-server: /)
      expect(JSON.parse(stdout)).toMatchObject({ kind, title })
    },
  )

  it('rebuilds an event from the journal and notes that it may be incomplete', async () => {
    const home = await makeHome({
      channels: { log: { type: 'file', path: '~/log' } },
      routes: [{ on: ['*'], to: ['log'] }],
      lingerSeconds: 0,
    })
    const id = home.accept({ ...stop, cwd: home.project })
    await home.run('worker', '--once')
    const { stdout, stderr } = await home.run('preview', id.slice(0, 12))
    expect(JSON.parse(stdout)).toMatchObject({ id, kind: 'done', client: 'droid' })
    expect(JSON.parse(stdout).body).toContain('Shall I go on')
    expect(stderr).toContain('Made from the journal')
  })

  it('does not wait for a transcript that lacks the answer', async () => {
    const home = await makeHome({ channels: { mail } })
    const folder = join(home.home, '.factory/sessions/-x')
    const transcript_path = join(folder, 's.jsonl')
    await execa('mkdir', ['-p', folder])
    const message = { role: 'user', content: [{ type: 'text', text: 'Go' }] }
    writeFileSync(transcript_path, `${JSON.stringify({ type: 'message', message })}\n`)
    const file = join(home.home, 'event.json')
    writeFileSync(
      file,
      JSON.stringify({ hook_event_name: 'Stop', cwd: home.project, transcript_path }),
    )
    const preview = ['preview', file, '--channel', 'mail', '--client', 'droid']
    expect(await home.run(...preview)).toMatchObject({ exitCode: 0 })
  })

  it('reads a payload from stdin', async () => {
    const home = await makeHome({ channels: { log: { type: 'file', path: '~/log' } } })
    const { stdout } = await execa(
      process.execPath,
      [join(root, 'bin/hookbell'), 'preview', '-', '--json'],
      { env: home.env, extendEnv: false, cwd: home.project, input: JSON.stringify(stop) },
    )
    expect(JSON.parse(JSON.parse(stdout).body).body).toContain('Shall I go on')
  })

  it.each([
    [
      ['permision'],
      '"permision" is not a sample, a file or an event',
      'Did you mean "permission"?',
    ],
    // The wrong event is reported before a wrong or unusable channel.
    [['permision', '--channel', 'team'], '"permision" is not a sample', 'Did you mean'],
    [['permision', '--channel', 'maill'], '"permision" is not a sample', 'Did you mean'],
    [['done', '--channel', 'maill'], 'no channel "maill"', 'Did you mean "mail"?'],
    [['done', '--channel', 'team'], '${NOT_SET} not set', 'NOT_SET'],
    [['done', '--channel', 'mail', '--html', '/no/such/file'], 'cannot write "/no/such/file"', ''],
  ])('reports the mistake with a hint: %j', async (words, message, hint) => {
    const team = { type: 'slack', url: '${NOT_SET}' }
    const home = await makeHome({ channels: { mail, team } })
    const { stderr, exitCode } = await home.run('preview', ...words)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it('says what is wrong with the body of a webhook', async () => {
    const hook = { type: 'webhook', url: 'https://example.com', body: '{{ cwd }}' }
    const home = await makeHome({ channels: { hook } })
    const { stdout, stderr, exitCode } = await home.run('preview')
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 78 })
    expect(stderr).toMatch(
      /^x preview: hook: webhook: body: undefined variable: cwd.*\n {2}Correct/,
    )
    expect(stderr).toContain('id, event, kind, ')
  })

  it('lists the channels to choose from even if none can be used yet', async () => {
    const slack = { type: 'slack', url: '${NOT_SET}' }
    const home = await makeHome({ channels: { team: slack, ops: slack } })
    expect((await home.run('preview', 'done')).stderr).toContain('Channels: team, ops')
  })
})
