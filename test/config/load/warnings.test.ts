import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/load/load.ts'
import type { HookbellError } from '../../../src/errors.ts'
import { kinds } from '../../../src/event/event.ts'

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
    'https://hooks.slack.com/triggers/T0/1/x',
    'https://hooks.slack.com.example.org/x',
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
    'https://hooks.slack.com/canary/services/T0',
    'https://app.slack.com/services/canary',
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
    expect(warningsOf({ type: 'ntfy', topic: 'x', token: 'pa$SWORd$ABC}' })).toEqual([])
  })

  it('names the position in a list, and may be about any part of a JSON body', () => {
    const body = { a: null, n: 1, list: ['x', '$TOPIC'] }
    const [warning, ...more] = warningsOf({ type: 'webhook', url: 'https://slack.com/x', body })
    expect(warning).toMatch(/^config\.json:1:\d+: channels\.team\.body\.list\.1: a reference needs/)
    expect(more).toEqual([])
  })

  it('becomes the hint of the error if it explains why the value is invalid', () => {
    try {
      load({ team: slack('$SLACK_WEBHOOK_URL') })
      expect.fail('the configuration was accepted')
    } catch (error) {
      expect((error as HookbellError).hint).toBe(`Write a reference with braces: \${NAME}`)
    }
  })
})

describe('a warning about quiet hours', () => {
  const night = { from: '22:00', to: '07:00' }
  const day = { from: '07:00', to: '22:00' }
  const weekend = { from: '00:00', to: '24:00', days: ['sat', 'sun'] }
  const noteOf = (quietHours: object[], off: string[] = []) => {
    const text = JSON.stringify({ noise: { quietHours, off } })
    return parseConfig(text, { path: 'c', secrets: { file: new Map(), env: {} } }).warnings
  }

  it.each([
    ['the whole day', [{ from: '00:00', to: '24:00' }]],
    ['the same time', [{ from: '9:00', to: '09:00' }]],
    ['day and night', [night, day]],
    ['some kinds only', [{ ...night }, { ...day, except: ['failed'] }]],
    ['one time zone of two', [{ ...night, timeZone: 'Asia/Tokyo' }, night, day]],
    [
      'each day of the week',
      [weekend, { from: '00:00', to: '00:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] }],
    ],
  ])('is given if they never end: %s', (_, quietHours) => {
    expect(noteOf(quietHours)).toEqual([
      'c:1:11: noise.quietHours: they never end, and what they hold is sent after eight days',
    ])
    expect(noteOf(quietHours, ['quiet-hours'])).toEqual([])
  })

  it.each([
    ['no quiet hours', []],
    ['nights and weekends', [night, weekend]],
    ['a minute is free', [{ from: '00:01', to: '24:00' }]],
    [
      'a day is free',
      [{ from: '09:00', to: '09:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }],
    ],
    ['two halves of days in two time zones', [night, { ...day, timeZone: 'Asia/Tokyo' }]],
    ['each kind is delivered at some time', [night, { ...day, except: kinds }]],
  ])('is not given if they end: %s', (_, quietHours) => {
    expect(noteOf(quietHours)).toEqual([])
  })
})
