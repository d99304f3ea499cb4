import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { opencode } from '../../src/clients/opencode.ts'
import { hookCommand } from '../../src/install/hook-command.ts'
import type { HookPlace } from '../../src/install/places.ts'
import { pluginText } from '../../src/install/plugin.ts'
import { type Registered, readRegistered } from '../../src/install/registered.ts'
import { findRegistration } from '../../src/install/uninstall.ts'
import { makeHome } from './make-home.ts'

const command = hookCommand('/x/hookbell-hook', 'droid')
const ours = { type: 'command', command }
const other = { type: 'command', command: 'say' }

/** What is registered in a settings file with these groups or hooks for Stop. */
function read(client: HookPlace['client'], entries: object[]): Omit<Registered, 'place'> {
  return readText(client, JSON.stringify({ version: 1, hooks: { Stop: entries } }), 'wrapped')
}

function readText(client: HookPlace['client'], text: string, form: HookPlace['form']) {
  const path = join(makeHome({ file: text }), 'file')
  const { place, ...found } = readRegistered({ client, scope: 'user', path, form })
  expect(place.path).toBe(path)
  return found
}

describe('our hooks in a file', () => {
  const hook = { event: 'Stop', command }

  it.each<[string, HookPlace['client'], object[], object]>([
    ['alone', 'droid', [{ hooks: [ours] }], { at: { group: 0, index: 0 }, isPlain: true }],
    [
      'behind others',
      'droid',
      [{ hooks: [other] }, { matcher: 'Edit', hooks: [other, { ...ours, timeout: 7 }] }],
      { at: { group: 1, index: 1 }, isPlain: true, matcher: 'Edit', timeout: 7 },
    ],
    [
      'with a property of somebody else, and an invalid timeout',
      'droid',
      [{ hooks: [{ ...ours, timeout: '7', async: true }] }],
      { at: { group: 0, index: 0 }, isPlain: false },
    ],
    [
      'in a group with a property of somebody else',
      'droid',
      [{ hooks: [ours], note: 'mine' }],
      { at: { group: 0, index: 0 }, isPlain: false },
    ],
    [
      'without groups',
      'cursor',
      [{ command: 'say' }, { command }],
      { at: { group: 1, index: 0 }, isPlain: true },
    ],
  ])('are found %s', (_, client, entries, expected) => {
    expect(read(client, entries)).toEqual({ hooks: [{ ...hook, ...expected }] })
  })

  it('are found in the plug-in that init wrote', () => {
    const text = pluginText(opencode, ['session.idle'], ['/x/hookbell-hook'])
    const hooks = [{ event: 'session.idle', command: '' }]
    expect(readText('opencode', text, 'plugin')).toEqual({ hooks })
    const [, ...withoutMark] = text.split('\n')
    expect(readText('opencode', withoutMark.join('\n'), 'plugin')).toEqual({ hooks: [] })
  })

  it('are none if there is no such file', () => {
    const path = join(makeHome(), 'none')
    const place = { client: 'droid', scope: 'user', path, form: 'wrapped' } as const
    expect(readRegistered(place)).toEqual({ place, hooks: [] })
  })

  it('are none if the file is too large for settings, with the reason', () => {
    const path = join(makeHome({ 'settings.json': '{}' }), 'settings.json')
    truncateSync(path, 1024 * 1024 + 1)
    const place = { client: 'droid', scope: 'project', path, form: 'wrapped' } as const
    const fault = `${path}: larger than 1048576 bytes`
    expect(readRegistered(place)).toEqual({ place, hooks: [], fault })
    truncateSync(path, 20 * 1024 * 1024)
    writeFileSync(path, "{ '/x/hookbell-hook' --client droid; }", { flag: 'r+' })
    expect(findRegistration(place, `${path}.state`)).toBeUndefined()
  })

  it('are not read from a folder, which is reported as the fault', () => {
    const place = { client: 'droid', scope: 'user', path: makeHome(), form: 'wrapped' } as const
    const fault = `${place.path}: not a regular file`
    expect(readRegistered(place)).toEqual({ place, hooks: [], fault })
  })

  it('are not read from a file with a syntax error, which is reported as the fault', () => {
    const fault = expect.stringContaining('file:1:')
    expect(readText('droid', '{', 'wrapped')).toEqual({ hooks: [], fault })
  })
})

describe('a file with an entry', () => {
  const prompt = { type: 'prompt', prompt: 'Go on' }

  it.each<[string, HookPlace['client'], object]>([
    ['without hooks', 'droid', { command: 'say' }],
    ['without hooks', 'codex', { command: 'say' }],
    ['with a command that is not text', 'droid', { hooks: [other, { type: 'command' }] }],
    ['that is flat, and has no command', 'cursor', { command: 7 }],
  ])('%s is ignored as a whole by %s', (_, client, entry) => {
    const fault = expect.stringMatching(
      /: an entry of Stop has a form that makes the file invalid$/,
    )
    expect(read(client, [{ hooks: [other] }, entry])).toEqual({ hooks: [], fault })
  })

  it.each<[string, HookPlace['client'], object]>([
    ['with a prompt', 'droid', { hooks: [prompt] }],
    ['that is flat', 'cursor', { command: 'say' }],
    ['without hooks', 'claude', { command: 'say' }],
  ])('%s is read by %s', (_, client, entry) => {
    expect(read(client, [entry])).toEqual({ hooks: [] })
  })
})
