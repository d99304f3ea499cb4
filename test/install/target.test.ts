import { chmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clientNames } from '../../src/clients/index.ts'
import {
  findTargets,
  makeGuard,
  parseClients,
  type TargetOptions,
} from '../../src/install/target.ts'
import { makeHome } from './make-home.ts'

function find(home: string, options: TargetOptions = {}, cwd = home) {
  const [target] = findTargets(options, { env: { HOME: home }, cwd })
  return target && [target.name, target.scope, target.file.path.replace(home, '~')]
}

describe('findTargets', () => {
  it('picks the only installed client', () => {
    expect(find(makeHome({ '.factory/x': '' }))).toEqual([
      'droid',
      'user',
      '~/.factory/settings.json',
    ])
    expect(find(makeHome({ '.claude/x': '' }))).toEqual([
      'claude',
      'user',
      '~/.claude/settings.json',
    ])
  })

  it('picks the named client, even if it is not installed yet', () => {
    expect(find(makeHome(), { client: 'droid' })).toEqual([
      'droid',
      'user',
      '~/.factory/settings.json',
    ])
  })

  it.each<[string, Record<string, string>, TargetOptions, string, RegExp]>([
    ['no client', {}, {}, 'found no agent client', /--client claude or .*--client droid/],
    [
      'several clients',
      { '.claude/x': '', '.factory/x': '' },
      {},
      'found more than one agent client: claude, droid',
      /--client claude or --client droid/,
    ],
    ['an unknown client', {}, { client: 'drod' }, 'unknown client "drod"', /Did you mean "droid"/],
    [
      'an inherited name',
      {},
      { client: 'toString' },
      'unknown client "toString"',
      /claude, .*droid/,
    ],
    [
      'a project of a client that reads no hooks there',
      {},
      { client: 'kimi', project: true },
      '--project: Kimi Code reads no hooks from a project',
      /^Use --user$/,
    ],
    [
      'both scopes',
      {},
      { user: true, project: true },
      '--user and --project exclude each other',
      /^$/,
    ],
    [
      'the home directory as a project',
      {},
      { client: 'droid', project: true },
      '--project: this is the home directory',
      /--user/,
    ],
  ])('rejects an ambiguous or invalid choice: %s', (_, files, options, message, hint) => {
    const error = catchError(() => find(makeHome(files), options))
    expect(error).toMatchObject({ code: 'E_USAGE', message })
    expect((error as { hint?: string }).hint ?? '').toMatch(hint)
  })

  it('returns several named clients, or all that are found by folder or program', () => {
    const home = makeHome({ '.factory/x': '', '.qwen/x': '', 'bin/codex': '' })
    chmodSync(join(home, 'bin/codex'), 0o755)
    const env = { HOME: home, PATH: join(home, 'bin') }
    const names = (options: TargetOptions) =>
      findTargets(options, { env, cwd: home }).map(({ name, isAbsent }) => [name, isAbsent])
    expect(names({ all: true })).toEqual([
      ['codex', false],
      ['droid', false],
      ['qwen', false],
    ])
    expect(names({ client: 'droid, gemini, droid' })).toEqual([
      ['droid', false],
      ['gemini', true],
    ])
  })

  it('selects the given events and rejects unknown ones', () => {
    const place = { env: { HOME: makeHome() }, cwd: '/' }
    const [target] = findTargets({ client: 'gemini', events: 'SessionEnd,AfterAgent' }, place)
    expect(target?.events).toEqual(['AfterAgent', 'SessionEnd'])
    expect(() => findTargets({ client: 'gemini', events: 'Stop' }, place)).toThrow(
      '--events: Gemini CLI has no "Stop" to register',
    )
  })

  it('assigns each event of droid to the file in which droid reads it', () => {
    const stop = '[{"hooks":[{"type":"command","command":"x"}]}]'
    const home = makeHome({
      '.factory/hooks.json': `{"Stop": ${stop}}`,
      '.factory/settings.json': `{"hooks": {"Stop": ${stop}, "SessionEnd": ${stop}}}`,
    })
    const targets = findTargets({ client: 'droid' }, { env: { HOME: home }, cwd: home })
    expect(targets.map(({ file, events }) => [file.name, events])).toEqual([
      ['hooks.json', ['Notification', 'Stop', 'SubagentStop', 'UserPromptSubmit']],
      ['settings.json', ['SessionEnd']],
    ])
  })

  it('skips a hooks.json with a layout that droid does not read', () => {
    const home = makeHome({ '.factory/hooks.json': '{"hooks": {"Stop": []}}' })
    const targets = findTargets({ client: 'droid' }, { env: { HOME: home }, cwd: home })
    expect(targets.map(({ file }) => file.name)).toEqual(['settings.json'])
  })

  it('finds the project around the current folder', () => {
    const home = makeHome({ 'repo/.git/HEAD': '', 'repo/src/x': '' })
    expect(find(home, { client: 'claude', project: true }, join(home, 'repo/src'))).toEqual([
      'claude',
      'project',
      '~/repo/.claude/settings.json',
    ])
  })

  it('finds the file of the project that only this user has', () => {
    const home = makeHome({ 'repo/.git/HEAD': '', 'repo/src/x': '' })
    expect(find(home, { client: 'claude', private: true }, join(home, 'repo/src'))).toEqual([
      'claude',
      'local',
      '~/repo/.claude/settings.local.json',
    ])
    const error = catchError(() =>
      find(home, { client: 'droid', private: true }, join(home, 'repo')),
    )
    expect(error).toMatchObject({ message: '--private: Factory droid has no file for that' })
    const both = catchError(() => find(home, { client: 'claude', private: true, user: true }, home))
    expect(both).toMatchObject({ message: '--user and --private exclude each other' })
  })

  it.each([
    ['the file', '.factory/settings.json', '../../outside.json'],
    ['the folder', '.factory', '../elsewhere'],
    ['a file that does not exist', '.factory/settings.json', '../../nowhere.json'],
    ['a folder whose name begins like that of the project', '.factory', '../repo-of-others'],
  ])('rejects a project with a symbolic link to the outside: %s', (_, link, target) => {
    const home = makeHome({
      'repo/.git/HEAD': '',
      'outside.json': '{}',
      'elsewhere/settings.json': '{}',
      'repo-of-others/settings.json': '{}',
    })
    if (link.includes('/')) mkdirSync(join(home, 'repo/.factory'))
    symlinkSync(target, join(home, 'repo', link))
    const options = { client: 'droid', project: true }
    expect(catchError(() => find(home, options, join(home, 'repo')))).toMatchObject({
      code: 'E_SETTINGS',
      message: expect.stringMatching(/a link out of the project/),
    })
  })

  it('follows a symbolic link within the project', () => {
    const home = makeHome({ 'repo/.git/HEAD': '', 'repo/config/droid.json': '{}' })
    mkdirSync(join(home, 'repo/.factory'))
    symlinkSync('../config/droid.json', join(home, 'repo/.factory/settings.json'))
    expect(find(home, { client: 'droid', project: true }, join(home, 'repo'))).toContain(
      '~/repo/.factory/settings.json',
    )
  })
})

describe('makeGuard', () => {
  function guarded() {
    const home = makeHome({ 'repo/.factory/settings.json': '{}', 'repo-of-others/x/y': '' })
    const at = (name: string) => join(home, name)
    const guard = makeGuard(at('repo'))
    return { at, check: (name: string) => guard(at(`repo/${name}`)) }
  }

  it('accepts paths in the project, whether they exist or not', () => {
    const { check } = guarded()
    for (const name of ['.factory/settings.json', '.factory/other.json', '.new/folder/file'])
      expect(() => check(name)).not.toThrow()
  })

  it('accepts every path if the project is /, as in a container', () => {
    const guard = makeGuard('/')
    for (const path of ['/.missing/settings.json', process.execPath])
      expect(() => guard(path)).not.toThrow()
  })

  it.each(['repo-of-others', 'missing'])('rejects a link to the outside: %s', (target) => {
    const { at, check } = guarded()
    symlinkSync(`../${target}`, at('repo/.new'))
    for (const name of ['.new', '.new/x', '.new/folder/file'])
      expect(() => check(name)).toThrow('the file is a link out of the project')
  })

  it.each(['a link', 'another folder'])('rejects %s that has replaced the project', (which) => {
    const { at, check } = guarded()
    renameSync(at('repo'), at('away'))
    if (which === 'a link') symlinkSync('away', at('repo'))
    else mkdirSync(at('repo'))
    for (const name of ['.factory/settings.json', '.new/file'])
      expect(() => check(name)).toThrow('the file is a link out of the project')
  })
})

function catchError(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('names of clients', () => {
  it.each([
    ['claude', ['claude']],
    ['claude,codex', ['claude', 'codex']],
    [' claude , codex, ', ['claude', 'codex']],
    ['codex,codex', ['codex']],
  ])('are read from %j', (text, names) => {
    expect(parseClients(text)).toEqual(names)
  })

  it.each([
    ['Claude', 'Did you mean "claude"?'],
    ['claude-code', 'Did you mean "claude"?'],
    ['codex,gemini_cli', 'Did you mean "gemini"?'],
    ['cluade', 'Did you mean "claude"?'],
    ['vim', `Known: ${clientNames.join(', ')}`],
    [' ,', `Known: ${clientNames.join(', ')}`],
  ])('are refused with a hint: %j', (text, hint) => {
    expect(() => parseClients(text)).toThrow(expect.objectContaining({ code: 'E_USAGE', hint }))
  })
})
