import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/clients/define.ts'
import {
  clientNames,
  clients,
  findClient,
  isClientName,
  sessionVariables,
} from '../../src/clients/index.ts'
import { transcriptRoots, userFolder } from '../../src/clients/paths.ts'
import { canonicalEvents } from '../../src/clients/vocabulary.ts'

const isCanonical = (name: string) => (canonicalEvents as readonly string[]).includes(name)

describe.each<[string, Client]>(Object.entries(clients))('clients: %s', (key, client) => {
  it('has one name for its file, its key and itself', () => {
    expect(client.name).toBe(key)
    expect(existsSync(new URL(`../../src/clients/${key}.ts`, import.meta.url))).toBe(true)
  })

  it('registers each of its events once', () => {
    expect(new Set(client.events).size).toBe(client.events.length)
  })

  it('registers no event that nobody understands', () => {
    for (const event of client.events) {
      expect(isCanonical(event) || Object.hasOwn(client.aliases, event), event).toBe(true)
    }
  })

  it('registers what says that a turn is over, and that a person wrote', () => {
    const meanings = client.events.map((event) => client.aliases[event] ?? event)
    expect(meanings).toContain('Stop')
    if (client.name !== 'opencode') expect(meanings).toContain('UserPromptSubmit')
  })

  it('never registers a hook whose failure would stop a tool or a prompt of copilot', () => {
    expect(client.events).not.toContain('PreToolUse')
    expect(client.events).not.toContain('preToolUse')
  })

  it('has a name that a shell takes as one plain word', () => {
    expect(client.name).toMatch(/^[a-z][a-z0-9-]*$/)
  })

  it('names variants of events that exist, and repeats with a time', () => {
    for (const { event } of client.variants) {
      expect(isCanonical(event) || Object.hasOwn(client.aliases, event), event).toBe(true)
    }
    for (const { withinMs } of client.repeats) expect(withinMs).toBeGreaterThan(0)
  })

  it('says of every group of facts how well it is known', () => {
    expect(Object.keys(client.verified)).toEqual([
      'settings',
      'events',
      'meaning',
      'transcript',
      'headless',
      'trust',
    ])
  })

  it('has a scope in every place it reads hooks from, and one that hookbell writes', () => {
    expect(client.hookFiles.some(({ scope }) => scope === 'user')).toBe(true)
    expect(client.settings.length).toBeGreaterThan(0)
  })
})

describe('clients', () => {
  it('offers those whose settings can be edited, and no inherited names', () => {
    expect(clientNames).toEqual(Object.keys(clients).sort())
    expect(isClientName('droid')).toBe(true)
    expect(isClientName('toString')).toBe(false)
  })

  it('knows eight, whether they are offered or not', () => {
    expect(Object.keys(clients)).toHaveLength(8)
    expect(findClient('qwen')?.title).toBe('Qwen Code')
    expect(findClient('toString')).toBeUndefined()
    expect(findClient('unknown')).toBeUndefined()
  })

  it('names the variables that the front door has to keep', () => {
    expect(sessionVariables).toEqual([
      'CLAUDE_CODE_SESSION_ATTENDED',
      'CLAUDE_CODE_ENTRYPOINT',
      'QWEN_CODE_MESSAGING_SOCKET',
    ])
  })

  it.each([
    ['droid', { HOME: '/home/me' }, '/home/me/.factory'],
    ['droid', { HOME: '/home/me', FACTORY_HOME_OVERRIDE: '/x' }, '/x/.factory'],
    ['droid', { HOME: '/home/me', FACTORY_HOME_OVERRIDE: 'x' }, '/home/me/.factory'],
    ['claude', { HOME: '/home/me' }, '/home/me/.claude'],
    ['claude', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '/x' }, '/x'],
    ['claude', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '' }, '/home/me/.claude'],
    ['copilot', { HOME: '/home/me' }, '/home/me/.copilot'],
    ['opencode', { HOME: '/home/me' }, '/home/me/.config/opencode'],
    ['codex', { HOME: '/home/me', CODEX_HOME: '/x' }, '/x'],
  ] as const)('finds the folder of %s with %j', (name, env, folder) => {
    expect(userFolder(clients[name], env)).toBe(folder)
  })

  it('finds transcripts in the folder in use', () => {
    expect(transcriptRoots(clients.droid, { HOME: '/home/me' })).toEqual([
      '/home/me/.factory/sessions',
      '/home/me/.factory/projects',
    ])
    expect(transcriptRoots(clients.claude, { CLAUDE_CONFIG_DIR: '/x' })).toEqual(['/x/projects'])
    expect(transcriptRoots(clients.copilot, { HOME: '/h' })).toEqual(['/h/.copilot/session-state'])
    expect(transcriptRoots(clients.cursor, { HOME: '/h' })).toEqual(['/h/.cursor/projects'])
  })
})
