import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
import { root } from '../support/home.ts'

const isCanonical = (name: string) => (canonicalEvents as readonly string[]).includes(name)

describe.each<[string, Client]>(Object.entries(clients))('clients: %s', (key, client) => {
  it('has the same name in its definition, its registry key and its file', () => {
    expect(client.name).toBe(key)
    expect(existsSync(new URL(`../../src/clients/${key}.ts`, import.meta.url))).toBe(true)
  })

  it('registers each of its events once', () => {
    expect(new Set(client.events).size).toBe(client.events.length)
  })

  it('registers only events that hookbell knows', () => {
    for (const event of client.events) {
      expect(isCanonical(event) || Object.hasOwn(client.aliases, event), event).toBe(true)
    }
  })

  const meanings = client.events.map((event) => client.aliases[event] ?? event)

  it('registers events for prompts and the end of a turn', () => {
    expect(meanings).toEqual(expect.arrayContaining(['Stop', 'UserPromptSubmit']))
  })

  it('registers an event for the end of a session, unless it runs a plug-in', () => {
    const expected = client.entries === 'plugin' ? [] : ['SessionEnd']
    expect(meanings.filter((one) => one === 'SessionEnd')).toEqual(expected)
  })

  it('registers an event for questions, except in Cursor', () => {
    const asking = meanings.filter((one) => /^(Notification|PermissionRequest)$/.test(one))
    expect(asking.length > 0, `one of ${meanings} is a question`).toBe(client.name !== 'cursor')
  })

  it('does not register PreToolUse for every tool: a failing hook could block a tool of Copilot', () => {
    for (const event of client.events.filter((one) => /^preToolUse$/i.test(one))) {
      expect(client.matchers).toHaveProperty(event)
    }
  })

  it('has a tool matcher only for events that it registers', () => {
    expect(client.events).toEqual(expect.arrayContaining(Object.keys(client.matchers ?? {})))
  })

  it('has a name that needs no quoting in a shell', () => {
    expect(client.name).toMatch(/^[a-z][a-z0-9-]*$/)
  })

  it('names each surface once, with a variable that the front door stores', () => {
    const { surfaces = [] } = client
    expect(new Set(surfaces.map(({ title }) => title)).size).toBe(surfaces.length)
    for (const { env } of surfaces) expect(Object.keys(env)).not.toEqual([])
    for (const name of surfaces.flatMap(({ env }) => Object.keys(env)))
      expect(sessionVariables).toContain(name)
  })

  it('has variants only of known events, and repeats only within a positive time', () => {
    for (const { event } of client.variants) {
      expect(isCanonical(event) || Object.hasOwn(client.aliases, event), event).toBe(true)
    }
    for (const { withinMs } of client.repeats) expect(withinMs).toBeGreaterThan(0)
  })

  it('states how well each group of facts is verified', () => {
    expect(Object.keys(client.verified)).toEqual([
      'settings',
      'events',
      'meaning',
      'transcript',
      'headless',
      'trust',
    ])
  })

  it('has a hook file for the user, and a settings file that hookbell writes', () => {
    expect(client.hookFiles.some(({ scope }) => scope === 'user')).toBe(true)
    expect(client.settings.length).toBeGreaterThan(0)
  })
})

describe('clients', () => {
  it('are known by their names, without inherited property names', () => {
    expect(clientNames).toEqual(Object.keys(clients).sort())
    expect(isClientName('droid')).toBe(true)
    expect(isClientName('toString')).toBe(false)
  })

  it('are found by name', () => {
    expect(findClient('qwen')?.title).toBe('Qwen Code')
    expect(findClient('toString')).toBeUndefined()
    expect(findClient('unknown')).toBeUndefined()
  })

  it('have a row each in docs/install.md', () => {
    const page = readFileSync(join(root, 'docs/install.md'), 'utf8')
    const [, table = ''] = /## Where it writes([\s\S]*?)\n## /.exec(page) ?? []
    const rows = [...table.matchAll(/^\| ([^|`]+) \| `/gm)].map(([, title]) => title)
    expect(rows.sort()).toEqual(
      Object.values(clients)
        .map(({ title }) => title)
        .sort(),
    )
  })

  it('define the variables that the front door stores', () => {
    expect(sessionVariables).toEqual([
      'CLAUDE_CODE_SESSION_ATTENDED',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_PROJECT_DIR',
      'DROID_DISABLE_NOTIFICATIONS',
      'FACTORY_PROJECT_DIR',
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
    ['kilo', { HOME: '/home/me' }, '/home/me/.config/kilo'],
    ['kilo', { HOME: '/home/me', KILO_CONFIG_DIR: '/x' }, '/x'],
    ['kimi', { HOME: '/home/me' }, '/home/me/.kimi-code'],
    ['codex', { HOME: '/home/me', CODEX_HOME: '/x' }, '/x'],
  ] as const)('have their user folder: %s with %j', (name, env, folder) => {
    expect(userFolder(clients[name], env)).toBe(folder)
  })

  it('have their transcripts in the configured folder', () => {
    expect(transcriptRoots(clients.droid, { HOME: '/home/me' })).toEqual([
      '/home/me/.factory/sessions',
      '/home/me/.factory/projects',
    ])
    expect(transcriptRoots(clients.claude, { CLAUDE_CONFIG_DIR: '/x' })).toEqual(['/x/projects'])
    expect(transcriptRoots(clients.copilot, { HOME: '/h' })).toEqual(['/h/.copilot/session-state'])
    expect(transcriptRoots(clients.cursor, { HOME: '/h' })).toEqual(['/h/.cursor/projects'])
  })
})
