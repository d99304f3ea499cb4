import { describe, expect, it } from 'vitest'
import { type ClientName, clients } from '../../src/clients/index.ts'
import { planTarget } from '../../src/install/plan-target.ts'
import { findTargets } from '../../src/install/target.ts'
import { makeHome } from './make-home.ts'

const door = '/s/hookbell-hook'
const guarded = (client: string) =>
  `{ trap 'exit 0' 0; '${door}' --client ${client}; trap - 0; } >/dev/null 2>&1 || :`

function plan(client: ClientName, old = '', events: string = clients[client].events[0]) {
  const home = makeHome()
  const [target] = findTargets({ client, events }, { env: { HOME: home }, cwd: home })
  if (!target) throw new Error('no target')
  return { path: target.file.path.replace(home, '~'), ...planTarget(target, door)(old) }
}

/** The layout that each client expects, written by hand. */
const layouts: [ClientName, string, object][] = [
  ['claude', '~/.claude/settings.json', nested('claude', 'Notification')],
  ['qwen', '~/.qwen/settings.json', nested('qwen', 'Notification', 10_000)],
  ['gemini', '~/.gemini/settings.json', nested('gemini', 'Notification', 10_000)],
  ['codex', '~/.codex/hooks.json', nested('codex', 'PermissionRequest')],
  [
    'copilot',
    '~/.copilot/hooks/hookbell.json',
    { version: 1, ...nested('copilot', 'Notification') },
  ],
  ['droid', '~/.factory/settings.json', nested('droid', 'Notification')],
  [
    'cursor',
    '~/.cursor/hooks.json',
    {
      version: 1,
      hooks: {
        stop: [
          {
            command: `/bin/sh -c '{ trap "exit 0" 0; "$0" --client cursor; } >/dev/null 2>&1 || :' '${door}'`,
            timeout: 10,
          },
        ],
      },
    },
  ],
]

function nested(client: string, event: string, timeout = 10) {
  const hook = { type: 'command', command: guarded(client), timeout }
  return { hooks: { [event]: [{ hooks: [hook] }] } }
}

describe('planTarget', () => {
  it.each(layouts)('writes the layout of %s', (client, path, value) => {
    const first = plan(client)
    expect(first.path).toBe(path)
    expect(JSON.parse(first.text)).toEqual(value)
    expect(Object.keys(JSON.parse(first.text))).toEqual(Object.keys(value))
    expect(plan(client, first.text).changed).toBe(false)
  })

  it('adds a missing version and keeps an existing one', () => {
    expect(JSON.parse(plan('cursor', '{}').text).version).toBe(1)
    expect(JSON.parse(plan('cursor', '{"version": 2}').text).version).toBe(2)
  })

  it('appends after the hooks of others for codex and keeps an approved timeout', () => {
    const other = { hooks: [{ type: 'command', command: 'x' }] }
    const text = JSON.stringify({ hooks: { Stop: [other] } })
    const first = plan('codex', text, 'Stop')
    const { Stop } = JSON.parse(first.text).hooks
    expect(Stop).toEqual([
      other,
      { hooks: [{ type: 'command', command: guarded('codex'), timeout: 10 }] },
    ])
    const slower = first.text.replace('"timeout":10', '"timeout":30')
    expect(plan('codex', slower, 'Stop').changed).toBe(false)
    expect(plan('qwen', slower.replace('--client codex', '--client qwen'), 'Stop').changed).toBe(
      true,
    )
  })

  it('writes no timeout that codex would warn about, and keeps an approved one', () => {
    const { text } = plan('codex', '{}', 'Stop,SessionEnd,Interrupt')
    const { hooks } = JSON.parse(text)
    const timeoutOf = (event: string) => hooks[event][0].hooks[0].timeout
    expect(['Stop', 'SessionEnd', 'Interrupt'].map(timeoutOf)).toEqual([10, 3, 3])
    const before = text.replaceAll('"timeout":3', '"timeout":10')
    expect(plan('codex', before, 'Stop,SessionEnd,Interrupt').changed).toBe(false)
  })

  it('registers PreToolUse of codex only for the tool that asks the user', () => {
    const first = plan('codex', '{}', 'Stop,PreToolUse')
    const { PreToolUse, Stop } = JSON.parse(first.text).hooks
    expect(PreToolUse).toEqual([{ matcher: '^request_user_input$', hooks: Stop[0].hooks }])
    expect(Stop[0].matcher).toBeUndefined()
    expect(plan('codex', first.text, 'Stop,PreToolUse').changed).toBe(false)
  })

  it('keeps name lists beside the events', () => {
    const text = '{"hooks": {"enabled": true, "disabled": ["x"]}}'
    expect(JSON.parse(plan('gemini', text).text).hooks).toMatchObject({
      enabled: true,
      disabled: ['x'],
    })
  })

  it('replaces its own plug-in and rejects a foreign one', () => {
    const { text } = plan('opencode')
    expect(plan('opencode', text).changed).toBe(false)
    expect(plan('opencode', text.replace(door, '/old')).text).toBe(text)
    expect(() => plan('opencode', 'export const Mine = 1')).toThrow(
      /this file is not from hookbell/,
    )
  })

  it('rejects a result that would be too large to be read again', () => {
    const text = JSON.stringify({ a: 'é'.repeat(512 * 1024 - 50) })
    expect(() => plan('claude', text)).toThrow(/with the hooks the file would be larger than 1 MiB/)
  })
})
