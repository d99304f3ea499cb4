import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { shellEnvironment } from '../../src/clients/shell-environment.ts'

const shell = { TEAM_URL: 'https://hooks.example.com/services/canary', PATH: '/usr/bin' }

/** Some of what each client sets for the commands that it runs. */
const sessions: [client: keyof typeof clients, env: Record<string, string>][] = [
  ['claude', { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' }],
  ['claude', { CLAUDE_PROJECT_DIR: '/home/me/api-server' }],
  ['codex', { CODEX_THREAD_ID: '0199', CODEX_CI: '1' }],
  ['copilot', { COPILOT_CLI: '1' }],
  ['cursor', { CURSOR_AGENT: '1' }],
  ['cursor', { CURSOR_EXTENSION_HOST_ROLE: 'agent-exec' }],
  ['droid', { FACTORY_PROJECT_DIR: '/home/me/api-server' }],
  ['droid', { DROID_PROJECT_DIR: '/home/me/api-server' }],
  [
    'droid',
    {
      ...{ PYTHONUNBUFFERED: '1', GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: 'true' },
      ...{ GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never', SSH_ASKPASS: '' },
    },
  ],
  ['gemini', { GEMINI_CLI: '1' }],
  ['kilo', { KILO: '1', KILO_PID: '5' }],
  ['kimi', { TERM: 'dumb', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' }],
  ['opencode', { OPENCODE: '1', AGENT: '1' }],
  ['qwen', { QWEN_CODE: '1' }],
]

describe('shellEnvironment', () => {
  it.each(sessions)('is empty for a command that %s runs with %j', (_, env) => {
    expect(shellEnvironment({ ...shell, ...env })).toEqual({})
  })

  it('is tested for every client, with each of its environment marks', () => {
    const named = new Set(sessions.map(([client]) => client))
    expect([...named]).toEqual(Object.keys(clients))
    const marks = Object.values(clients).flatMap(({ environmentMarks }) => [...environmentMarks])
    expect(sessions).toHaveLength(marks.length)
  })

  it.each([
    {},
    { CLAUDECODE: '' },
    { GEMINI_CLI_HOME: '/x', QWEN_CODE_LANG: 'de', CODEX_HOME: '/x', OPENCODE_CONFIG_DIR: '/x' },
    { KILO_CONFIG_DIR: '/x', KILO_API_KEY: 'x' },
    // The terminal inside an editor, which a person uses.
    { CURSOR_TRACE_ID: '1', CURSOR_EXTENSION_HOST_ROLE: 'user' },
    { TERM: 'dumb', NO_COLOR: '1' },
    { NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' },
    { PYTHONUNBUFFERED: '1', GCM_INTERACTIVE: 'never' },
    { PYTHONUNBUFFERED: '1', GIT_SEQUENCE_EDITOR: 'true' },
    { GIT_SEQUENCE_EDITOR: 'true', GCM_INTERACTIVE: 'never' },
  ])('is unchanged for a shell of a person with %j', (env) => {
    const all = { ...shell, ...env }
    expect(shellEnvironment(all)).toBe(all)
  })
})
