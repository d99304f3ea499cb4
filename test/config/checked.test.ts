import { describe, expect, it } from 'vitest'
import { fillOutline, outlineOf } from '../../src/config/checked.ts'
import { configSchema } from '../../src/config/schema/schema.ts'

const secret = 'https://hooks.slack.com/services/T0/B0/canary'

const written = {
  $schema: './config.schema.json',
  routes: [
    { on: ['*'], to: ['team'], when: { project: ['api-*'] }, stop: true },
    { on: ['permission'], steps: [{ to: ['team'] }, { after: '2m', to: ['mail'] }] },
  ],
  channels: {
    mail: {
      to: ['me@example.com'],
      from: 'me@example.com',
      smtp: 'smtps://me:canary@mail.example.com',
      type: 'email',
    },
    team: { type: 'slack', url: secret, clearance: 'full' },
    hook: { type: 'webhook', url: 'https://example.com/canary', headers: { 'X-Key': 'canary' } },
    run: { type: 'command', argv: ['~/bin/ring', 'canary'], env: { KEY: 'canary' } },
  },
  hub: undefined,
  noise: {
    quietHours: [
      { from: '22:00', to: '07:00' },
      { from: '12:00', to: '13:00' },
    ],
  },
  digest: { at: '18:00', to: ['mail'] },
  retry: { maxAttempts: 3 },
}

describe('a checked configuration', () => {
  it('can be restored from its outline in the same order', () => {
    const result = configSchema.parse(written)
    const outline = JSON.parse(JSON.stringify(outlineOf(written, result)))
    const again = fillOutline(outline, written)
    expect(again).toEqual(result)
    expect(JSON.stringify(again)).toBe(JSON.stringify(result))
  })

  it('has an outline with the added defaults, without texts of the configuration', () => {
    const outline = JSON.stringify(outlineOf(written, configSchema.parse(written)))
    expect(outline).not.toMatch(/canary|example\.com|api-\*|22:00/)
    expect(outline).toContain('"maxAgeHours":24')
  })

  it('has no outline if the check changed existing values', () => {
    expect(outlineOf({ a: { b: 'x ' } }, { a: { b: 'x' } })).toBeUndefined()
    expect(outlineOf({ a: [1, 2] }, { a: [1] })).toBeUndefined()
    expect(outlineOf({ a: 1, b: 2 }, { a: 1 })).toBeUndefined()
  })
})
