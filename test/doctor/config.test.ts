import { describe, expect, it } from 'vitest'
import { checkConfig, howToRepair } from '../../src/doctor/config.ts'
import { type ChannelStatus, emptyStatus } from '../../src/journal/history.ts'
import { find, makeFacts } from './_facts.ts'

describe('the check of a channel', () => {
  const channels = { team: { type: 'file', path: '/x' }, other: { type: 'file', path: '/y' } }
  const config = { channels, routes: [{ on: ['*'], to: ['team'] }] }
  const at = (hour: number) => Date.parse(`2026-11-20T${hour}:00:00Z`)
  /** The state of the channel after each of its last events. */
  const said = (name: string, states: Pick<ChannelStatus, 'state' | 'at'>[]) => {
    const results = states.map((one) => ({ [name]: { attempts: 1, detail: 'why', ...one } }))
    // The last event was for another channel.
    const events = [...results, { elsewhere: { ...results[0]?.[name] } as ChannelStatus }].map(
      (one, index) => ({ ...emptyStatus(`${index}`, index), channels: one }),
    )
    return find(checkConfig(makeFacts({ events }, config)), `channel.${name}`)
  }

  it.each<[ChannelStatus['state'], status: string, seen: string, advice: string]>([
    ['delivered', 'ok', 'delivered 2026-11-20 11:00', ''],
    [
      'deferred',
      'warning',
      'deferred, next 2026-11-20 11:00: why; the last success 2026-11-20 10:00',
      'hookbell flush',
    ],
    ['held', 'ok', 'held, next 2026-11-20 11:00: why; the last success 2026-11-20 10:00', ''],
    ['suppressed', 'ok', 'suppressed 2026-11-20 11:00: why; the last success 2026-11-20 10:00', ''],
    [
      'exhausted',
      'warning',
      'exhausted 2026-11-20 11:00: why; the last success 2026-11-20 10:00',
      'hookbell test team',
    ],
    [
      'unavailable',
      'warning',
      'unavailable 2026-11-20 11:00: why; the last success 2026-11-20 10:00',
      'hookbell test team',
    ],
  ])('names its last result, %s, and the last success', (state, status, seen, advice) => {
    const states = [
      { state: 'delivered', at: at(10) },
      { state, at: at(11) },
    ] as const
    expect(said('team', [...states])).toEqual([{ id: 'channel.team', status, seen, do: advice }])
  })

  it('names no success before the first one', () => {
    expect(said('team', [{ state: 'exhausted', at: at(10) }])).toMatchObject([
      { seen: 'exhausted 2026-11-20 10:00: why; no success yet' },
    ])
    expect(said('team', [])).toEqual([
      {
        id: 'channel.team',
        status: 'cannot tell',
        seen: 'nothing sent yet',
        do: 'hookbell test team',
      },
    ])
  })

  it('reports before anything else that no route leads to it', () => {
    expect(said('other', [{ state: 'deferred', at: at(10) }])).toMatchObject([
      { status: 'warning', do: expect.stringMatching(/^Name it in a route/) },
    ])
  })
})

describe('the check of the configuration', () => {
  it('reports only the missing secret if no channel can be used because of it', () => {
    const team = { type: 'slack', url: '${S}' }
    const routes = [{ on: ['*'], to: ['team'] }]
    const checks = checkConfig(makeFacts({}, { channels: { team }, routes }))
    expect(checks.filter(({ status }) => status !== 'ok').map(({ id }) => id)).toEqual([
      'channel.team',
    ])
  })

  it('names for each warning the file to correct', () => {
    const loaded = {
      ...makeFacts().loaded,
      warnings: ['/c/config.json:1:2: what', '/c/secrets.env:3: not NAME=value'],
    }
    expect(find(checkConfig(makeFacts({ loaded })), 'config.warning')).toMatchObject([
      { do: 'hookbell config edit' },
      { do: 'Remove that line, or: hookbell secrets set NAME' },
    ])
  })

  it.each([
    ['${A}, ${B} not set', 'hookbell secrets set A; hookbell secrets set B'],
    ['${A}: waits for the keychain', 'Unlock the keychain, or: hookbell secrets set A --keychain'],
    ['${A}: /usr/bin/op ended with status 7', 'Run that command yourself, and look'],
    ['waits for config.json, which has its secret', 'Correct it: hookbell config edit'],
    ['waits for secrets.env', 'Repair that file, as the checks above say'],
  ])('gives for the unusable channel with "%s" the advice "%s"', (why, advice) => {
    expect(howToRepair(why)).toBe(advice)
  })
})
