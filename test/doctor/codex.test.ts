import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkTrust, isTrustedByCodex } from '../../src/doctor/codex.ts'
import { checkSwitches } from '../../src/doctor/switches.ts'
import { readRegistered } from '../../src/install/registered.ts'
import { makeHome } from '../install/make-home.ts'

const command =
  "{ '/home/me/.local/state/hookbell/hookbell-hook' --client codex; } >/dev/null 2>&1 || :"
const ours = (more: object = { timeout: 10 }) => ({ type: 'command', command, ...more })
const other = { hooks: [{ type: 'command', command: 'say' }] }

/** The hashes that the app server of codex 0.169 returned from `hooks/list` for entries with this command. */
const hashes = {
  stop: 'e85027cea315538faa632ec8a37769b5c46eaa996774df16801a41e2d3882226',
  stopWithoutTimeout: 'f9b734e16df5b5f397077d5159a125d5ef5837b88bf3179ab735e64525e99375',
  stopWithin1s: '57d3379ab2ce9b5ec9b14617f80cb25a4e2f7cd7d66b3bb62666323c6f2a3feb',
  permissionRequest: 'ab01e925550b8d3da8945e414d8e6b6b38d673ac5881dca9a87a42a64af5f0e7',
  sessionEnd: '62b1528ba247f4b19a5d947a6e287856c5e0d6ce2e8462e0b865710d123f98dd',
  sessionEndWithin2s: '0640aed21ee99026b7afdcb10ac3e8b3ad6da0dd6fc0e2bc54b11935836860b8',
  sessionEndWithoutTimeout: '386e90dbbe3ecb97efaa00385c4b19ceee1381dec0bae48c71cb94ceafce83c2',
  preToolUse: '21f71874da972e6dd66c181ee6a56c6ec3f34c20a377047b9e848c37954e7349',
}

function write(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** @returns the checks of the hooks of one event, with these approvals in the configuration of codex */
function trustOf(event: string, groups: object[], states: Record<string, string>, more = '') {
  const env = { HOME: makeHome() }
  const path = write(
    join(env.HOME, '.codex/hooks.json'),
    JSON.stringify({ hooks: { [event]: groups } }),
  )
  const tables = Object.entries(states).map(
    ([place, hash]) =>
      `[hooks.state."${path}:${place}"]\ntrusted_hash = "sha256:${hash}"\n${more}\n`,
  )
  write(join(env.HOME, '.codex/config.toml'), tables.join(''))
  const place = { client: 'codex', scope: 'user', path, form: 'wrapped' } as const
  return checkTrust('x', readRegistered(place)).map(({ status, seen }) => [status, seen])
}

describe('the check whether codex trusts our hooks', () => {
  it.each([
    ['Stop', 'stop', 'stop', ours()],
    ['Stop', 'stop', 'stopWithoutTimeout', ours({})],
    ['Stop', 'stop', 'stopWithin1s', ours({ timeout: 0 })],
    ['PermissionRequest', 'permission_request', 'permissionRequest', ours()],
    ['SessionEnd', 'session_end', 'sessionEnd', ours()],
    ['SessionEnd', 'session_end', 'sessionEndWithin2s', ours({ timeout: 2 })],
    ['SessionEnd', 'session_end', 'sessionEndWithoutTimeout', ours({})],
  ] as const)('knows the hash of %s: %s, %s', (event, name, hash, hook) => {
    const states = { [`${name}:0:0`]: hashes[hash] }
    expect(trustOf(event, [{ hooks: [hook] }], states)).toEqual([['ok', `approved: ${event}`]])
  })

  it('knows the hash of an entry for the tool that init registers, but not for another one', () => {
    const seen = (matcher: string) =>
      trustOf('PreToolUse', [{ matcher, hooks: [ours()] }], {
        'pre_tool_use:0:0': hashes.preToolUse,
      })
    expect(seen('^request_user_input$')).toEqual([['ok', 'approved: PreToolUse']])
    expect(seen('Bash')[0]?.[0]).toBe('cannot tell')
  })

  it.each<[string, object[], Record<string, string>, string, RegExp, string?]>([
    ['nothing was approved', [{ hooks: [ours()] }], {}, 'warning', /^not approved yet: Stop$/],
    [
      'only the hook of somebody else was approved',
      [other, { hooks: [ours()] }],
      { 'stop:0:0': 'x' },
      'warning',
      /^not approved yet/,
    ],
    [
      'an entry was put before ours',
      [other, { hooks: [ours()] }],
      { 'stop:0:0': hashes.stop },
      'warning',
      /^not approved at its new position: another entry was put before it: Stop$/,
    ],
    [
      'a hook was put before ours in its group',
      [{ hooks: [...other.hooks, ours()] }],
      { 'stop:0:0': hashes.stop },
      'warning',
      /^not approved at its new position/,
    ],
    [
      'the timeout was changed',
      [{ hooks: [ours({ timeout: 20 })] }],
      { 'stop:0:0': hashes.stop },
      'warning',
      /^changed since it was approved: Stop$/,
    ],
    [
      'it was switched off',
      [{ hooks: [ours()] }],
      { 'stop:0:0': hashes.stop },
      'warning',
      /^switched off in \/hooks: Stop$/,
      'enabled = false',
    ],
    [
      'another one was appended',
      [{ hooks: [ours()] }, other],
      { 'stop:0:0': hashes.stop },
      'ok',
      /^a/,
    ],
    [
      'a person added something',
      [{ hooks: [ours({ timeout: 10, statusMessage: 'hi' })] }],
      { 'stop:0:0': hashes.stop },
      'cannot tell',
      /^approved in a form/,
    ],
  ])('reports what it found if %s', (_, groups, states, status, seen, more) => {
    expect(trustOf('Stop', groups, states, more)).toEqual([[status, expect.stringMatching(seen)]])
  })
})

describe('the approval of several hooks', () => {
  const key = (home: string, place: string) => `[hooks.state."${join(home, '.codex', place)}"]\n`
  const trusted = (hash: string) => `trusted_hash = "sha256:${hash}"\n`

  /** The findings for the hooks of Stop and SessionEnd, with these approvals in config.toml. */
  function said(states: (home: string) => string, scope: 'user' | 'project' = 'user') {
    const home = makeHome()
    const hooks = { Stop: [{ hooks: [ours()] }], SessionEnd: [{ hooks: [ours(), ours()] }] }
    const path = write(join(home, '.codex/hooks.json'), JSON.stringify({ hooks }))
    write(join(home, '.codex/config.toml'), states(home))
    const place = { client: 'codex', scope, path, form: 'wrapped' } as const
    return checkTrust('x', readRegistered(place)).map(({ seen }) => seen)
  }

  it('is reported once for all that are in the same state', () => {
    expect(said(() => '')).toEqual(['not approved yet: Stop, SessionEnd'])
    const stop = (home: string) => key(home, 'hooks.json:stop:0:0') + trusted(hashes.stop)
    expect(said(stop)).toEqual(['approved: Stop', 'not approved yet: SessionEnd'])
  })

  it('counts only in the file and for the event for which it was given', () => {
    const elsewhere = (home: string) =>
      ['other.json:stop:0:0', 'hooks.json:session_start:0:0', 'x/hooks.json:stop:0:0']
        .map((place) => key(home, place) + trusted(hashes.stop))
        .join('')
    expect(said(elsewhere)).toEqual(['not approved yet: Stop, SessionEnd'])
  })

  it('is not assumed for a hook that was only switched off or on', () => {
    const off = (home: string) => `${key(home, 'hooks.json:stop:0:0')}enabled = false\n`
    expect(said(off)[0]).toBe('switched off in /hooks: Stop')
    const on = (home: string) => `${key(home, 'hooks.json:stop:0:0')}enabled = true\n`
    expect(said(on)).toEqual(['not approved yet: Stop, SessionEnd'])
  })

  it('is not checked for the hooks of a project', () => {
    expect(said(() => '', 'project')).toEqual([])
  })

  it('is that of the profile in which the hooks are', () => {
    const home = makeHome()
    const path = write(
      join(home, '.codex-work/hooks.json'),
      JSON.stringify({ hooks: { Stop: [{ hooks: [ours()] }] } }),
    )
    const state = `[hooks.state."${path}:stop:0:0"]\n`
    write(join(home, '.codex/config.toml'), state + trusted(hashes.stop))
    const place = { client: 'codex', scope: 'user', path, form: 'wrapped' } as const
    expect(checkTrust('x', readRegistered(place))).toMatchObject([{ status: 'warning' }])
    write(join(home, '.codex-work/config.toml'), state + trusted(hashes.stop))
    expect(checkTrust('x', readRegistered(place))).toMatchObject([{ status: 'ok' }])
  })

  it.each(['dotfiles', '.codex'])('counts under either path of a linked folder: %s', (name) => {
    const home = makeHome()
    const hooks = { Stop: [{ hooks: [ours()] }] }
    write(join(home, 'dotfiles/hooks.json'), JSON.stringify({ hooks }))
    symlinkSync('dotfiles', join(home, '.codex'))
    const state = `[hooks.state."${join(home, name, 'hooks.json')}:stop:0:0"]\n`
    const project = `[projects."${join(home, name)}"]\ntrust_level = "trusted"\n`
    write(join(home, 'dotfiles/config.toml'), state + trusted(hashes.stop) + project)
    const path = join(home, '.codex/hooks.json')
    const place = { client: 'codex', scope: 'user', path, form: 'wrapped' } as const
    const env = { HOME: home }
    expect(checkTrust('x', readRegistered(place))).toMatchObject([{ status: 'ok' }])
    expect(isTrustedByCodex(join(home, '.codex'), env)).toBe(true)
  })
})

describe('the switch of codex in config.toml', () => {
  const off = [
    '[features]\nhooks = false',
    'features.hooks = false',
    'features = { hooks = false }',
    '[features]\nlist = ["[", "]"]\nhooks = false # quiet',
  ]

  function switches(files: Record<string, string>, trusted = '') {
    const home = makeHome(files)
    const cwd = join(home, 'repo')
    mkdirSync(join(cwd, '.git'), { recursive: true })
    const text = trusted && `[projects."${cwd}"]\ntrust_level = "${trusted}"\n`
    if (text || !existsSync(join(home, '.codex'))) write(join(home, '.codex/config.toml'), text)
    const env = { HOME: home }
    expect(isTrustedByCodex(cwd, env)).toBe(trusted === 'trusted')
    return checkSwitches('x', 'codex', [], { env, cwd }).map(({ seen }) => seen)
  }

  it.each(off)('is found in the settings of the user: %j', (text) => {
    expect(switches({ '.codex/config.toml': text })).toEqual([
      expect.stringMatching(/\.codex\/config\.toml sets "features\.hooks"/),
    ])
  })

  it('counts only in a trusted project', () => {
    const files = { 'repo/.codex/config.toml': '[features]\nhooks = false' }
    expect(switches(files, 'trusted')).toEqual([expect.stringContaining('repo/.codex/config.toml')])
    expect(switches(files, 'untrusted')).toEqual([])
    expect(switches(files)).toEqual([])
  })

  it('is ignored in a damaged file', () => {
    expect(switches({ '.codex/config.toml': '[features\nhooks = false' })).toEqual([])
  })
})
