import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/clients/define.ts'
import { clientNames, clients } from '../../src/clients/index.ts'
import { profileOf, registeredProfiles } from '../../src/clients/places.ts'
import { type HookPlace, rememberPlace } from '../../src/install/places.ts'
import { makeHome } from '../install/make-home.ts'

function place(
  client: HookPlace['client'],
  path: string,
  scope: HookPlace['scope'] = 'user',
): HookPlace {
  return { client, scope, path, form: 'wrapped' }
}

describe('the profile of a file', () => {
  it.each(clientNames)('of %s is the folder of the client that it is in', (name) => {
    const { hookFiles }: Client = clients[name]
    for (const { path } of hookFiles.filter(({ scope }) => scope === 'user')) {
      const file = join('/home/me/.second', path.replace('*', 'hookbell'))
      expect(profileOf(place(name, file))).toBe('/home/me/.second')
      expect(profileOf(place(name, file, 'project'))).toBe('')
      expect(profileOf(place(name, `${file}.bak`))).toBe('')
    }
  })
})

describe('the profiles that are registered', () => {
  const register = (...places: HookPlace[]) => {
    const state = join(makeHome(), 'state')
    for (const one of places) rememberPlace(state, one)
    return state
  }
  const work = place('claude', '/home/me/.claude-work/settings.json')

  it('are those of the client in which init wrote, each once', () => {
    const state = register(
      work,
      place('claude', '/srv/shop/.claude/settings.json', 'project'),
      place('codex', '/home/me/.codex/hooks.json'),
      place('droid', '/x/.factory/hooks.json'),
      place('droid', '/x/.factory/settings.json'),
    )
    expect(registeredProfiles(clients.claude, state)).toEqual(['/home/me/.claude-work'])
    expect(registeredProfiles(clients.droid, state)).toEqual(['/x/.factory'])
    expect(registeredProfiles(clients.qwen, state)).toEqual([])
    expect(registeredProfiles(clients.claude, join(state, 'none'))).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('are none if others can write to the record', () => {
    for (const name of ['.', 'places.json']) {
      const state = register(work)
      chmodSync(join(state, name), name === '.' ? 0o777 : 0o666)
      expect(registeredProfiles(clients.claude, state)).toEqual([])
    }
  })
})
