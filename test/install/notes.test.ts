import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ClientName, clients } from '../../src/clients/index.ts'
import { fileInForce } from '../../src/install/locate.ts'
import { settingsNotes } from '../../src/install/notes.ts'
import type { Target } from '../../src/install/target.ts'
import { makeHome } from './make-home.ts'

function notes(name: ClientName, files: Record<string, string>, found = {}, managed?: string) {
  const home = makeHome(files)
  const client = { ...clients[name], managed: managed ? { linux: join(home, managed) } : {} }
  const folder = join(home, client.folder)
  const target: Target = {
    name,
    client,
    scope: 'user',
    folder,
    file: fileInForce(client, folder),
    events: client.events,
    isAbsent: false,
  }
  const shape = target.file.shape
  const world = { env: { HOME: home }, platform: 'linux' } as const
  const texts = settingsNotes(target, { shape, links: 1, ...found }, world)
  return texts.map((text) => text.replaceAll(home, '~'))
}

describe('settingsNotes', () => {
  it('is empty when there is nothing to report', () => {
    expect(notes('droid', { '.factory/settings.json': '{"hooks": {}}' })).toEqual([])
    expect(notes('droid', {})).toEqual([])
    expect(notes('claude', { '.claude/settings.json': 'damaged' })).toEqual([])
  })

  it('does not read a file that is too large for settings', () => {
    const text = `{"hooksDisabled": true}${' '.repeat(1024 * 1024)}`
    expect(notes('droid', { '.factory/settings.json': text })).toEqual([])
  })

  it('reports a setting that disables the hooks', () => {
    expect(notes('droid', { '.factory/settings.json': '{"hooksDisabled": true} // x' })).toEqual([
      '~/.factory/settings.json sets "hooksDisabled": hooks of yours do not run',
    ])
    expect(notes('claude', { '.claude/settings.json': '{"disableAllHooks": true}' })).toEqual([
      '~/.claude/settings.json sets "disableAllHooks": hooks of yours do not run',
    ])
    expect(notes('claude', { '.claude/settings.json': '{"disableAllHooks": false}' })).toEqual([])
    expect(
      notes('droid', { '.factory/settings.json': '{"hooks":{"hooksDisabled":true}}' }),
    ).toEqual(['~/.factory/settings.json sets "hooks.hooksDisabled": hooks of yours do not run'])
    expect(
      notes('gemini', { '.gemini/settings.json': '{"hooksConfig":{"enabled":false}}' }),
    ).toEqual(['~/.gemini/settings.json sets "hooksConfig.enabled": hooks of yours do not run'])
  })

  it('reports a managed setting that allows no hooks of users', () => {
    const files = { 'etc/settings.json': '{"allowManagedHooksOnly": true}' }
    const expected = '~/etc/settings.json sets "allowManagedHooksOnly": hooks of yours do not run'
    expect(notes('droid', files, {}, 'etc/settings.json')).toEqual([expected])
    // In the user's own file the client ignores it.
    expect(notes('droid', { '.factory/settings.json': files['etc/settings.json'] })).toEqual([])
  })

  it('reports hooks in a file that is not in force', () => {
    const files = {
      '.factory/hooks.json': '{"Stop":[]}',
      '.factory/settings.json': '{"hooks":{"Stop":[]}}',
    }
    expect(notes('droid', files)).toEqual([
      'Factory droid ignores Stop in ~/.factory/settings.json: hooks.json names it too',
    ])
  })

  it('reports a file of an older version', () => {
    expect(notes('droid', { '.factory/hooks/hooks.json': '{}' })).toEqual([
      '~/.factory/hooks/hooks.json is of an older version: when Factory droid moves it, run init again',
    ])
  })

  it('reports a layout that may not be read, and hard links', () => {
    const files = { '.factory/hooks.json': '{"hooks":{}}' }
    expect(notes('droid', files, { shape: 'wrapped', links: 2 })).toEqual([
      'Factory droid ignores ~/.factory/hooks.json: its events are under "hooks"',
      'hooks.json has its events under "hooks", which Factory droid may not read',
      '~/.factory/hooks.json has 2 hard links: only this one gets the hooks',
    ])
  })

  it('does not block on a named pipe', () => {
    const home = makeHome({ '.factory/x': '' })
    spawnSync('mkfifo', [join(home, '.factory/settings.json')])
    const folder = join(home, '.factory')
    const client = { ...clients.droid, managed: {} }
    const target: Target = {
      name: 'droid',
      client,
      scope: 'user',
      folder,
      events: client.events,
      isAbsent: false,
      file: { name: 'hooks.json', shape: 'bare', path: join(folder, 'hooks.json') },
    }
    expect(settingsNotes(target, { shape: 'bare', links: 1 }, { env: { HOME: home } })).toEqual([])
  })
})
