import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/load/load.ts'

const warningsOf = (route: object) =>
  parseConfig(JSON.stringify({ routes: [{ on: ['*'], to: ['desktop'], ...route }] }), {
    path: 'config.json',
    secrets: { file: new Map(), env: {} },
  }).warnings

describe('a warning about a route', () => {
  it.each([
    ['failure', 'failed'],
    ['Finished', 'done'],
    ['question', 'permission'],
    ['idle', 'waiting'],
    ['all', '*'],
    ['error', 'failed'],
    ['permision', 'permission'],
    ['Stopp', 'Stop'],
    ['SubagentStopped', 'SubagentStop'],
    ['PreToolUsee', 'PreToolUse'],
  ])('says that %j is no event and no kind, and suggests one', (word, meant) => {
    expect(warningsOf({ on: ['done', word] })).toEqual([
      expect.stringMatching(
        new RegExp(
          `^config\\.json:1:\\d+: routes\\.0\\.on\\.1: no known event or kind is called "${word}"`,
        ),
      ),
    ])
    expect(warningsOf({ on: [word] })[0]).toContain(`did you mean "${meant}"?`)
  })

  it.each(['claude-code', 'Claude Code', 'gemini-cli', 'Codex'])(
    'suggests the name of the client for %j',
    (word) => {
      const client = word.toLowerCase().split(/[- ]/)[0]
      for (const name of ['when', 'not'])
        expect(warningsOf({ [name]: { client: [word] } })).toEqual([
          expect.stringContaining(
            `.client.0: no known client is called "${word}"; did you mean "${client}"?`,
          ),
        ])
    },
  )

  it('suggests the client for a mistyped name', () => {
    expect(warningsOf({ when: { client: ['claud'] } })[0]).toContain('did you mean "claude"?')
  })

  it.each(['PermissionDenied', 'TaskCompleted', 'TeammateIdle', 'Elicitation', 'CwdChanged'])(
    'is not given for the new event %s',
    (word) => {
      expect(warningsOf({ on: [word] })).toEqual([])
    },
  )

  it.each([
    { on: ['done', 'Stop', 'stop', 'PreToolUse', 'session.idle', 'deploy-ended', '*'] },
    { when: { client: ['claude', 'my-agent'] }, not: { client: ['qwen'] } },
  ])('is not given for %j', (route) => {
    expect(warningsOf(route)).toEqual([])
  })
})
