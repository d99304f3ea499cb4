import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/clients/define.ts'
import { clientNames, clients, isClientName } from '../../src/clients/index.ts'
import { transcriptRoots, userFolder } from '../../src/clients/paths.ts'

describe.each<[string, Client]>(Object.entries(clients))('clients: %s', (key, client) => {
  it('has one name for its file, its key and itself', () => {
    expect(client.name).toBe(key)
    expect(existsSync(new URL(`../../src/clients/${key}.ts`, import.meta.url))).toBe(true)
  })

  it('registers each of its events once', () => {
    expect(new Set(client.events).size).toBe(client.events.length)
  })

  it('has a name that a shell takes as one plain word', () => {
    expect(client.name).toMatch(/^[a-z][a-z0-9-]*$/)
  })
})

describe('clients', () => {
  it('knows its names, and no inherited ones', () => {
    expect(clientNames).toEqual(['claude', 'droid'])
    expect(isClientName('droid')).toBe(true)
    expect(isClientName('toString')).toBe(false)
  })

  it.each([
    ['droid', { HOME: '/home/me' }, '/home/me/.factory'],
    ['droid', { HOME: '/home/me', FACTORY_HOME_OVERRIDE: '/x' }, '/x/.factory'],
    ['droid', { HOME: '/home/me', FACTORY_HOME_OVERRIDE: 'x' }, '/home/me/.factory'],
    ['claude', { HOME: '/home/me' }, '/home/me/.claude'],
    ['claude', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '/x' }, '/x'],
    ['claude', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '' }, '/home/me/.claude'],
  ] as const)('finds the folder of %s with %j', (name, env, folder) => {
    expect(userFolder(clients[name], env)).toBe(folder)
  })

  it('finds transcripts in the folder in use', () => {
    expect(transcriptRoots(clients.droid, { HOME: '/home/me' })).toEqual([
      '/home/me/.factory/sessions',
      '/home/me/.factory/projects',
    ])
    expect(transcriptRoots(clients.claude, { CLAUDE_CONFIG_DIR: '/x' })).toEqual(['/x/projects'])
  })
})
