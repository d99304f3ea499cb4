import { describe, expect, it } from 'vitest'
import { clientNames } from '../../src/clients/index.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { CANARY_EVENT } from '../../src/journal/entry.ts'
import { route, routeTo } from '../../src/route/route.ts'

const event = { name: 'Stop', kind: 'done', env: {} } as EnrichedEvent

const deps = { host: 'workstation', now: Date.parse('2026-11-20T09:00:00Z') }

describe('a route', () => {
  it.each(['Stop', 'done', '*'])('matches an event with `on: %s`', (word) => {
    const routes = [{ on: [word], to: ['a', 'b'] }]
    expect(route(event, { routes }, deps)).toMatchObject({
      candidates: [
        { channel: 'a', urgency: 'normal', on: word },
        { channel: 'b', urgency: 'normal' },
      ],
    })
  })

  it('adds its channels to those of other routes, and the first urgency of a channel counts', () => {
    const routes = [
      { on: ['done'], to: ['a'], urgency: 'critical' as const },
      { on: ['Stop'], to: ['a', 'b'] },
      { on: ['waiting'], to: ['c'] },
    ]
    expect(route(event, { routes }, deps)).toMatchObject({
      candidates: [
        { channel: 'a', urgency: 'critical' },
        { channel: 'b', urgency: 'normal' },
      ],
    })
  })

  it('uses a channel once: at the earliest time of all routes, and as the route of that time says', () => {
    const later = (after: string, to: string[], more: object = {}) => ({
      ...{ on: ['*'], ...more },
      steps: [{ to: ['log'] }, { after, to }],
    })
    const routes = [
      later('2m', ['a', 'b'], { template: 'short' }),
      { on: ['done'], to: ['a'] },
      later('1m', ['a', 'b']),
    ]
    const because = 'step 2 of route 3: 1m after the event, unless answered by then'
    expect(route(event, { routes }, deps).candidates).toEqual([
      { channel: 'log', urgency: 'normal', on: '*', template: 'short' },
      { channel: 'a', urgency: 'normal', on: 'done' },
      { channel: 'b', urgency: 'normal', on: '*', later: { ms: 60_000, because } },
    ])
  })

  it('leaves a trace with its verdict and the decisive condition', () => {
    const routes = [
      { on: ['waiting', 'failed'], to: ['a'] },
      { on: ['ended', 'done'], to: ['b'] },
    ]
    expect(route(event, { routes }, deps).trace).toEqual([
      { by: 'route 1', verdict: 'not matched', because: 'on: waiting, failed' },
      { by: 'route 2', verdict: 'matched', because: 'on: done' },
    ])
  })

  it('that is missing suppresses the event with a reason', () => {
    expect(route(event, { routes: [] }, deps)).toEqual({
      candidates: [],
      suppress: 'no route for done',
      trace: [],
    })
    const prompt: EnrichedEvent = { ...event, name: 'UserPromptSubmit', kind: 'other' }
    expect(route(prompt, { routes: [] }, deps)).toMatchObject({
      suppress: 'no route for UserPromptSubmit',
    })
  })

  it.each(['1', 'true', 'YES'])('is off with DROID_DISABLE_NOTIFICATIONS=%s', (value) => {
    const muted = { ...event, client: 'droid', env: { DROID_DISABLE_NOTIFICATIONS: value } }
    const routes = [{ on: ['*'], to: ['a'] }]
    expect(route(muted, { routes }, deps)).toMatchObject({
      candidates: [],
      suppress: 'muted by DROID_DISABLE_NOTIFICATIONS',
    })
    for (const other of ['0', 'false', '10', 'yes please', 'not 1']) {
      const notMuted = { ...muted, env: { DROID_DISABLE_NOTIFICATIONS: other } }
      expect(route(notMuted, { routes }, deps).candidates).toHaveLength(1)
    }
  })

  it.each([...clientNames, 'script', 'unknown', ''].filter((name) => name !== 'droid'))(
    'for the client "%s" stays on, whatever the variable of another client says',
    (client) => {
      const env = { DROID_DISABLE_NOTIFICATIONS: '1', '': '1', undefined: '1' }
      const routes = [{ on: ['*'], to: ['a'] }]
      expect(route({ ...event, client, env }, { routes }, deps).candidates).toHaveLength(1)
    },
  )

  it('is off for the test event of `doctor`', () => {
    const routes = [{ on: ['*'], to: ['a'] }]
    expect(route({ ...event, name: CANARY_EVENT }, { routes }, deps)).toEqual({
      candidates: [],
      suppress: 'a test of the hooks by hookbell',
      trace: [],
    })
  })

  it('for a single named channel contains only that channel', () => {
    expect(routeTo('x', { ...event, kind: 'permission' })).toMatchObject({
      candidates: [{ channel: 'x', urgency: 'critical' }],
    })
  })
})
