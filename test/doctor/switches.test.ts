import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ClientName } from '../../src/clients/index.ts'
import { checkSwitches } from '../../src/doctor/switches.ts'
import type { Registered } from '../../src/install/registered.ts'
import { makeHome } from '../install/make-home.ts'

const off = '{"disableAllHooks": true}'

/** The number of switches that are found in one file, when Copilot has our hooks in its file for the user. */
function switchesOf(client: ClientName, path: string, text: string, cwd = 'repo'): number {
  const home = makeHome({ [path]: text, 'repo/.git/HEAD': '' })
  const own = join(home, '.copilot/hooks/hookbell.json')
  const ours: Registered[] = [
    { place: { client: 'copilot', scope: 'user', path: own, form: 'wrapped' }, hooks: [] },
  ]
  const place = { env: { HOME: home }, cwd: join(home, cwd) }
  return checkSwitches('x', client, ours, place).length
}

describe('settings that switch hooks off', () => {
  it.each<[ClientName, string, string]>([
    ['claude', 'repo/.claude/settings.json', off],
    ['claude', 'repo/.claude/settings.local.json', off],
    ['qwen', 'repo/.qwen/settings.json', off],
    ['gemini', 'repo/.gemini/settings.json', '{"hooksConfig": {"enabled": false}}'],
    ['droid', 'repo/.factory/settings.json', '{"hooks": {"hooksDisabled": true}}'],
    ['droid', 'repo/.factory/hooks.json', '{"hooksDisabled": true}'],
    ['copilot', 'repo/.github/copilot/settings.json', off],
    ['copilot', 'repo/.github/copilot/settings.local.json', off],
    ['copilot', '.copilot/hooks/hookbell.json', off],
  ])('are found: %s, %s', (client, path, text) => {
    expect(switchesOf(client, path, text)).toBe(1)
  })

  // Seen with the real Copilot: the first two switch off only the hooks of their own file, the third none.
  // Whether Copilot obeys the file of Claude Code is unknown.
  it.each([
    '.copilot/hooks/other.json',
    'repo/.github/hooks/other.json',
    '.copilot/settings.json',
    'repo/.claude/settings.json',
  ])('are not reported if Copilot runs our hooks all the same: %s', (path) => {
    expect(switchesOf('copilot', path, off)).toBe(0)
  })

  it('are found in a second profile that has our hooks', () => {
    const home = makeHome({ '.claude-work/settings.json': off, '.claude-old/settings.json': off })
    const path = join(home, '.claude-work/settings.json')
    const ours: Registered[] = [
      { place: { client: 'claude', scope: 'user', path, form: 'wrapped' }, hooks: [] },
    ]
    const found = checkSwitches('x', 'claude', ours, { env: { HOME: home }, cwd: home })
    expect(found.map(({ seen }) => seen)).toEqual([expect.stringContaining('.claude-work')])
  })

  it('are found for the user outside of a project', () => {
    expect(switchesOf('claude', '.claude/settings.json', off, '')).toBe(1)
  })
})
