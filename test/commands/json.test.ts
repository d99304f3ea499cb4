import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ArgsDef } from 'citty'
import { describe, expect, it } from 'vitest'
import { loadAll } from '../../src/commands/index.ts'
import { makeHome } from '../support/home.ts'

/** Commands whose output is for another reader than a program. */
const withoutJson: Readonly<Record<string, string>> = {
  completion: 'it prints a script for a shell',
}

const all = await loadAll()

/** The members that the help of a command names: `Print JSON: wasOnHold, left (messages)`. */
function documented(name: string): string[] {
  const args = all.find((one) => one.name === name)?.command.args as ArgsDef
  const [, list = ''] = /^Print JSON: (.*)$/.exec(args.json?.description ?? '') ?? []
  return list.replace(/ \([^)]*\)/g, '').split(', ')
}

describe('commands: --json', () => {
  it('is an option of every command, except of those whose output no program reads', () => {
    const lacking = all.filter(({ command }) => (command.args as ArgsDef).json?.type !== 'boolean')
    expect(lacking.map(({ name }) => name)).toEqual(Object.keys(withoutJson))
  })

  it.each<[string, object]>([
    ['back', { wasAway: false }],
    ['hold', { onHold: true }],
    ['flush', { retried: 0, onHold: true, held: 0, left: 0 }],
    ['resume', { wasOnHold: true, handled: 1, left: 0 }],
    ['resume', { wasOnHold: false, handled: 0, left: 0 }],
    ['drain', { left: 0 }],
    ['purge --yes', { removed: 0 }],
  ])('%s prints one object, with the members that its help names', async (line, expected) => {
    const home = await makeHome()
    const [name = '', ...words] = line.split(' ')
    const needsHold = 'onHold' in expected || 'wasOnHold' in expected
    if (needsHold && Object.values(expected).includes(true)) {
      home.accept({ hook_event_name: 'Stop' })
      await home.run('hold')
    }
    const { stdout, stderr } = await home.run(name, ...words, '--json')
    expect(JSON.parse(stdout)).toEqual(expected)
    expect(Object.keys(expected)).toEqual(documented(name))
    expect(stderr).toBe('')
  })

  it('away prints until when, and the clients that wait', async () => {
    const home = await makeHome()
    mkdirSync(join(home.home, '.codex'))
    await home.run('init', '--client', 'codex', '--answers', '--yes')
    const before = Date.now()
    const { until, ...rest } = JSON.parse((await home.run('away', '1h', '--json')).stdout)
    expect(until).toBeGreaterThanOrEqual(before + 3_600_000)
    expect(rest).toEqual({ clients: ['codex'] })
    expect(documented('away')).toEqual(['until', 'clients'])
    expect(JSON.parse((await home.run('back', '--json')).stdout)).toEqual({ wasAway: true })
  })

  it('mute and unmute print what is muted now', async () => {
    const home = await makeHome()
    const mute = async (...words: string[]) =>
      JSON.parse((await home.run('mute', 'until', 'unmute', ...words, '--json')).stdout)
    expect(await mute('--kind', 'done')).toEqual({
      mute: { until: 0, kind: 'done' },
      others: [],
      unmute: expect.stringMatching(/hookbell unmute --kind 'done'$/),
    })
    const second = await mute('--project', 'shop')
    expect(second).toMatchObject({ others: [{ until: 0, kind: 'done' }] })
    expect(second.note).toMatch(/^No recent event is of the project shop/)
    expect(Object.keys(second)).toEqual(documented('mute'))
    const unmuted = await home.run('unmute', '--project', 'shop', '--json')
    expect(JSON.parse(unmuted.stdout)).toEqual({ ended: true, left: [{ until: 0, kind: 'done' }] })
    expect(documented('unmute')).toEqual(['ended', 'left'])
  })

  it('secrets set and unset print the name, where it is and what uses it, never the value', async () => {
    const url = 'https://hooks.slack.com/services/${HOOK}'
    const home = await makeHome({ channels: { team: { type: 'slack', url } } })
    const set = await home.runWith('canary', 'secrets', 'set', 'HOOK', '--json')
    const path = join(home.env.HOOKBELL_CONFIG_DIR, 'secrets.env')
    expect(JSON.parse(set.stdout)).toEqual({ name: 'HOOK', in: path, usedBy: ['team'] })
    const other = await home.runWith('canary', 'secrets', 'set', 'OTHER', '--json')
    expect(JSON.parse(other.stdout)).toEqual({ name: 'OTHER', in: path, usedBy: [] })
    for (const wasSet of [true, false]) {
      const unset = await home.run('secrets', 'unset', 'HOOK', '--json')
      expect(JSON.parse(unset.stdout)).toEqual({ name: 'HOOK', wasSet })
    }
  })

  it('answer off and on, and the rights of a hub, are JSON too', async () => {
    const home = await makeHome()
    const json = async (...words: string[]) =>
      JSON.parse((await home.run(...words, '--json')).stdout)
    expect(await json('answer', 'off')).toEqual({ answers: 'off', ended: 0 })
    expect(await json('answer', 'on')).toEqual({ answers: 'on' })
    expect(await json('hub', 'acl')).toContainEqual(expect.stringMatching(/^user machine on /))
  })
})

describe('commands: an error with --json', () => {
  it.each(all.map(({ name }) => name))(
    '%s prints a wrong option as one line of JSON',
    async (name) => {
      const home = await makeHome()
      const { stdout, stderr, exitCode } = await home.run(name, '--json', '--no-such-option')
      const { error } = JSON.parse(stderr)
      expect(error).toMatchObject({ code: 'E_USAGE', message: expect.stringContaining('unknown') })
      expect({ stdout, exitCode, lines: stderr.trimEnd().split('\n').length }).toEqual({
        ...{ stdout: '', exitCode: 64, lines: 1 },
      })
    },
  )

  it('names all faults of a configuration', async () => {
    const home = await makeHome({ channels: { team: { type: 'slak' } }, lingerSeconds: 'x' })
    const { stderr, exitCode } = await home.run('config', 'check', '--json')
    const { error } = JSON.parse(stderr)
    expect([error, ...error.others].map(({ message }) => message).sort()).toEqual([
      expect.stringContaining('channels.team.type'),
      expect.stringContaining('lingerSeconds'),
    ])
    expect(error.code).toBe('E_CONFIG')
    expect(exitCode).toBe(78)
  })

  it('is text where --json stands after --, because it is no option there', async () => {
    const home = await makeHome()
    const { stderr } = await home.run('notify', '--kind', 'x', '--', '--json')
    expect(stderr).toMatch(/^x notify: no message is of the kind "x"/)
  })
})
