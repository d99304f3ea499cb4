import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/load/load.ts'
import type { HookbellError } from '../../../src/errors.ts'

const load = (channels: object) =>
  parseConfig(JSON.stringify({ channels }), {
    path: 'config.json',
    secrets: { file: new Map(), env: {} },
  })

const warningsOf = (channel: object) => load({ team: channel }).warnings

const slack = (url: string) => ({ type: 'slack', url })

describe('a warning about the configuration', () => {
  it.each([
    'https://hooks.slack.com/services/T0/B0/x',
    'https://hooks.slack.com/workflows/T0/A/1',
    'https://hooks.slack-gov.com/services/T0/B0/x',
    'https://mattermost.example/hooks/x',
    'http://127.0.0.1:8080/services/x',
  ])('is not given for the webhook %s', (url) => {
    expect(warningsOf(slack(url))).toEqual([])
  })

  it.each([
    'https://acme.slack.com/archives/C123canary',
    'https://api.slack.com/apps/A0canary',
    'https://slack.com/api/chat.postMessage?canary',
    'https://hooks.slack.com/',
  ])('says that %s is not a webhook, without repeating the URL', (url) => {
    const [warning, ...more] = warningsOf(slack(url))
    expect(warning).toMatch(/^config\.json:1:\d+: channels\.team\.url: not the URL of an incoming/)
    expect(warning).not.toContain('canary')
    expect(more).toEqual([])
  })

  it('is given for a reference without braces, without repeating its value', () => {
    const [warning] = warningsOf({ type: 'ntfy', topic: 'x', token: '$NTFY_TOKEN' })
    expect(warning).toMatch(/channels\.team\.token: a reference needs braces, \$\{NAME\}/)
    expect(warning).not.toContain('NTFY_TOKEN')
    expect(warningsOf({ type: 'command', argv: ['sh', '-c', 'echo $HOME'] })).toEqual([])
    expect(warningsOf({ type: 'ntfy', topic: 'x', token: 'pa$word$12' })).toEqual([])
  })

  it('is the hint of the error if the value is invalid because of it', () => {
    try {
      load({ team: slack('$SLACK_WEBHOOK_URL') })
      expect.fail('it was taken')
    } catch (error) {
      expect((error as HookbellError).hint).toBe(`Write a reference with braces: \${NAME}`)
    }
  })
})
