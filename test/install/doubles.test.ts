import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ClientName, clients } from '../../src/clients/index.ts'
import { checkClients } from '../../src/doctor/clients.ts'
import { doublesOf } from '../../src/install/doubles.ts'
import { find, makeFacts } from '../doctor/_facts.ts'
import { makeHome as makeRealHome } from '../support/home.ts'
import { makeHome } from './make-home.ts'

const hook = (command: string, event = 'Notification') =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } })

function found(client: ClientName, path: string, text: string): string[] {
  const home = makeHome({ [path]: text })
  const texts = doublesOf(clients[client], [join(home, path)], { HOME: home })
  return texts.map((one) => one.replaceAll(home, '~'))
}

describe('install: doubles', () => {
  it.each([
    ['notify-send Claude "needs you"', 'notify-send'],
    [`osascript -e 'display notification "x"'`, 'osascript'],
    ['/opt/homebrew/bin/terminal-notifier -message x', 'terminal-notifier'],
    ['python3 ~/.claude/hooks/notification.py', 'notification.py'],
    ['sh -c "afplay /System/Library/Sounds/Ping.aiff"', 'afplay'],
    ['curl -d x https://example.com && ~/bin/claude-notify.sh', 'claude-notify.sh'],
  ])('names the notifier in the hook %s', (command, program) => {
    expect(found('claude', '.claude/settings.json', hook(command))).toEqual([
      `~/.claude/settings.json runs ${program} for Notification: Claude Code tells you twice`,
    ])
  })

  it.each([
    'npm run lint',
    "'/home/me/.local/state/hookbell/hookbell-hook' --client claude",
    'echo essay',
    '/home/me/notify-project/lint.sh',
    'prettier --write .',
  ])('names nothing for the hook %s', (command) =>
    expect(found('claude', '.claude/settings.json', hook(command))).toEqual([]),
  )

  it('has one line for a file with several', () => {
    const events = ['Stop', 'Notification'].map((event) => [
      event,
      [{ hooks: [{ command: 'notify-send x' }] }],
    ])
    const text = JSON.stringify({ hooks: { ...Object.fromEntries(events), PreToolUse: 'x' } })
    expect(found('claude', '.claude/settings.json', text)).toEqual([
      '~/.claude/settings.json runs notify-send for Stop, Notification: Claude Code tells you twice',
    ])
    expect(
      found('droid', '.factory/hooks.json', JSON.stringify(Object.fromEntries(events))),
    ).toHaveLength(1)
    expect(
      found('cursor', '.cursor/hooks.json', '{"hooks": {"stop": [{"command": "notify-send x"}]}}'),
    ).toHaveLength(1)
  })

  it.each<[ClientName, string, string, string]>([
    [
      'claude',
      '.claude.json',
      '{"preferredNotifChannel": "terminal_bell"}',
      'preferredNotifChannel',
    ],
    [
      'claude',
      '.claude/settings.json',
      '{"preferredNotifChannel": "iterm2"}',
      'preferredNotifChannel',
    ],
    ['codex', '.codex/config.toml', '[tui]\nnotifications = true\n', 'tui.notifications'],
    [
      'codex',
      '.codex/config.toml',
      '[tui]\nnotifications = ["agent-turn-complete"]\n',
      'tui.notifications',
    ],
    ['codex', '.codex/config.toml', 'notify = ["python3", "/x/notify.py"]\n', 'notify'],
  ])('names the own notifications of %s in %s: %s', (client, path, text, key) =>
    expect(found(client, path, text)).toEqual([
      `~/${path} sets ${key}: ${clients[client].title} notifies you too`,
    ]),
  )

  it.each<[ClientName, string, string]>([
    ['claude', '.claude.json', '{"preferredNotifChannel": "notifications_disabled"}'],
    ['claude', '.claude.json', '{"preferredNotifChannel": "auto"}'],
    ['claude', '.claude.json', 'damaged'],
    ['codex', '.codex/config.toml', '[tui]\nnotifications = false\n'],
    ['codex', '.codex/config.toml', '[tui]\nnotifications = []\n'],
    ['codex', '.codex/config.toml', ''],
  ])('names nothing of %s in %s: %s', (client, path, text) =>
    expect(found(client, path, text)).toEqual([]),
  )

  it('is said by init and doctor in one line, and the hook stays', async () => {
    const home = await makeRealHome()
    const file = join(home.home, '.claude/settings.json')
    mkdirSync(join(home.home, '.claude'))
    writeFileSync(file, hook('notify-send x'))
    const { stdout } = await home.run('init', '--client', 'claude', '--yes')
    expect(stdout.match(/Note: .*runs notify-send for Notification/g)).toHaveLength(1)
    expect(readFileSync(file, 'utf8')).toContain('notify-send x')
    const env = { HOME: home.home }
    const checks = checkClients(makeFacts({ env, cwd: home.project, stateDir: home.state }))
    expect(find(checks, 'client.claude.double')).toMatchObject([
      { status: 'warning', do: 'Keep one of the two' },
    ])
  })
})
