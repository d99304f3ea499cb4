import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import type { Check } from '../../src/doctor/check.ts'
import { type Home, makeHome } from '../support/home.ts'
import { shellQuote } from '../support/shell-quote.ts'

const config = {
  channels: { audit: { type: 'file', path: '~/audit.jsonl' } },
  routes: [{ on: ['*'], to: ['audit'] }],
}

async function makeInstalled(client = 'claude'): Promise<Home> {
  const home = await makeHome(config)
  expect(await home.run('init', '--client', client, '--yes')).toMatchObject({ exitCode: 0 })
  return home
}

async function examine(home: Home, ...words: string[]) {
  const { exitCode, stdout } = await home.run('doctor', '--json', ...words)
  const { checks, fixed } = JSON.parse(stdout) as { checks: Check[]; fixed: string[] }
  // On a busy machine the front door may take more than a second, which is a warning.
  const isSlow = checks.some(({ status, seen }) => status === 'warning' && isTime(seen))
  const problems = checks.filter(
    ({ status, seen }) => ['warning', 'broken'].includes(status) && !isTime(seen),
  )
  const find = (id: string) => checks.find((one) => one.id === id)
  return { exitCode: isSlow && exitCode === 1 ? 0 : exitCode, checks, fixed, problems, find }
}

const isTime = (seen: string) => /^\d+ ms, silent, exit 0$/.test(seen)

const settings = (home: Home) => join(home.home, '.claude/settings.json')

// The checks themselves are tested in test/doctor/faults.test.ts.
describe('hookbell doctor', () => {
  it('does not say that nothing waits if the journal cannot be read', async () => {
    const home = await makeInstalled()
    mkdirSync(join(home.state, 'journal.jsonl'))
    const { exitCode, find } = await examine(home)
    expect(find('spool.backlog')).toMatchObject({
      status: 'broken',
      seen: `${home.state}/journal.jsonl is not a regular file`,
      do: 'Move it away',
    })
    expect(find('spool.dead')).toMatchObject({ status: 'cannot tell' })
    expect(exitCode).toBe(2)
  })

  it('has one row for a fault and what it led to in a channel', async () => {
    const home = await makeHome({ channels: { desk: { type: 'desktop' } }, lingerSeconds: 0 })
    home.accept({ hook_event_name: 'StopFailure' })
    await home.run('worker', '--once')
    const ids = (await examine(home, '--offline')).problems.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['channel.desk', 'desktop.bus']))
    const { stdout } = await home.run('doctor', '--offline')
    expect(stdout.match(/no D-Bus session bus/g)).toHaveLength(1)
  })

  it('finds no problem after init, and its test event notifies nobody', async () => {
    const home = await makeInstalled()
    const { exitCode, problems, find } = await examine(home)
    expect(problems).toEqual([])
    expect(exitCode).toBe(0)
    expect(find('client.claude.canary')?.seen).toSatisfy(isTime)
    expect(find('client.claude.last')).toMatchObject({ status: 'cannot tell' })
    await expect
      .poll(async () => (await home.run('log', '--json')).stdout)
      .toContain('a test of the hooks by hookbell')
    expect(existsSync(join(home.home, 'audit.jsonl'))).toBe(false)
    expect((await examine(home)).find('client.claude.last')).toMatchObject({
      seen: 'no event seen yet',
    })
    await home.run('uninstall', '--yes')
  })

  it('begins and ends with one line, and shows problems alone unless --verbose', async () => {
    const home = await makeInstalled()
    const look = async (...words: string[]) =>
      (await home.run('doctor', '--offline', ...words)).stdout.split('\n')
    // On a busy machine the front door may take more than a second, which is a warning.
    const quick = await look()
    if (quick.length === 1)
      expect(quick).toEqual([
        expect.stringMatching(/^All is well, as far as can be told\. \d+ other checks: --verbose$/),
      ])
    expect((await look('--verbose')).join('\n')).toMatch(/^ok +disk: /m)
    rmSync(join(home.state, 'hookbell-hook'))
    const lines = await look()
    expect(lines[0]).toMatch(
      /^Not working: door\.present( \(and \d+ more\))?\. First: .*hookbell init/,
    )
    expect(lines.at(-1)).toBe(lines[0])
    expect(lines.join('\n')).not.toMatch(/^(ok|cannot tell) /m)
    const statuses = lines.map((line) => /^(broken|warning) /.exec(line)?.[1]).filter(Boolean)
    expect(statuses).toEqual([...statuses].sort())
    const verbose = await look('--verbose')
    expect(verbose.join('\n')).toMatch(/^broken .*^ok /ms)
    await home.run('uninstall', '--yes')
  })

  it('fixes the safe problems with --fix and lists the fixes', async () => {
    const home = await makeInstalled()
    const secrets = join(home.env.HOOKBELL_CONFIG_DIR, 'secrets.env')
    writeFileSync(secrets, 'A=1', { mode: 0o644 })
    chmodSync(home.state, 0o777)
    rmSync(join(home.state, 'hookbell-hook'))
    const { exitCode, fixed } = await examine(home, '--fix')
    expect(fixed).toEqual([
      expect.stringMatching(/^chmod go-w .*state$/),
      expect.stringMatching(/^chmod 600 .*secrets\.env$/),
      expect.stringMatching(/^made the folders of the spool/),
      expect.stringMatching(/^renewed the front door/),
    ])
    expect(exitCode).toBe(0)
    await home.run('uninstall', '--yes')
  })

  it('shows all checks if the front door cannot be renewed, and says why', async () => {
    const home = await makeInstalled()
    rmSync(join(home.state, 'hookbell-hook'))
    renameSync(home.state, `${home.state}-moved`)
    symlinkSync(`${home.state}-moved`, home.state)
    const { stdout, stderr, exitCode } = await home.run('doctor', '--json', '--offline', '--fix')
    expect(stderr).toMatch(/^x .*state: not a folder of this user\n {2}Check that the folder/)
    const { checks, fixed } = JSON.parse(stdout)
    expect(fixed).not.toContainEqual(expect.stringMatching(/^renewed/))
    expect(checks).toContainEqual(expect.objectContaining({ id: 'door.present', status: 'broken' }))
    expect(exitCode).toBe(2)
  })

  it('does not report missing hooks on a machine that only runs a hub', async () => {
    const hub = { url: 'redis://127.0.0.1:1' }
    const home = await makeHome({ hub, channels: config.channels })
    const { problems, find } = await examine(home, '--offline')
    expect(problems).toEqual([])
    expect(find('clients')).toMatchObject({ status: 'ok' })
    expect(find('door.present')).toMatchObject({ status: 'ok' })
    const machine = await makeHome({ ...config, hub: { ...hub, channels: ['team'] } })
    expect((await examine(machine, '--offline')).find('door.present')?.status).toBe('broken')
  })

  it('does not run a hook command of a repository that init did not write', async () => {
    const home = await makeInstalled()
    const door = join(home.home, 'hookbell-hook')
    writeFileSync(door, `#!/bin/sh\ntouch ${shellQuote(`${home.home}/ran`)}\n`, { mode: 0o755 })
    mkdirSync(join(home.project, '.claude'))
    const command = `{ ${shellQuote(door)} --client claude; } >/dev/null 2>&1 || :`
    const hooks = { Stop: [{ hooks: [{ type: 'command', command }] }] }
    writeFileSync(join(home.project, '.claude/settings.json'), JSON.stringify({ hooks }))
    const { checks } = await examine(home)
    expect(checks).toContainEqual(
      expect.objectContaining({ status: 'warning', seen: expect.stringContaining('not tried') }),
    )
    expect(existsSync(join(home.home, 'ran'))).toBe(false)
    // The hooks in the user's home start the front door, so status reports nothing missing.
    expect((await home.run('status')).stdout).not.toContain(door)
    await home.run('uninstall', '--yes')
  })
})

describe('hookbell clients', () => {
  it('lists the installed and registered clients, and marks the unverified ones', async () => {
    const home = await makeInstalled()
    const { stdout } = await home.run('clients', '--json')
    const rows = JSON.parse(stdout)
    expect(rows).toHaveLength(Object.keys(clients).length)
    expect(rows.find(({ client }: { client: string }) => client === 'claude')).toMatchObject({
      folder: join(home.home, '.claude'),
      registered: [{ path: settings(home), scope: 'user' }],
    })
    const text = (await home.run('clients')).stdout
    expect(text).toMatch(/^cursor +Cursor +.*not fully tested$/m)
    expect(text.split('\n')).toHaveLength(Object.keys(clients).length)
    expect(
      rows.find(({ client }: { client: string }) => client === 'cursor').verified.meaning,
    ).toBe('unverified')
    expect(text).toMatch(/^qwen +Qwen Code +not found +not registered/m)
    await home.run('uninstall', '--yes')
  })
})
