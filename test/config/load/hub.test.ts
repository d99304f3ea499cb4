import { describe, expect, it } from 'vitest'
import { readyChannels } from '../../../src/config/channels.ts'
import { withoutSecrets } from '../../../src/config/last-good.ts'
import { parseConfig } from '../../../src/config/load/load.ts'

const url = 'rediss://machine@hub.example:6380'

function parse(config: object, secrets: Record<string, string> = {}) {
  const file = new Map(Object.entries(secrets))
  return parseConfig(JSON.stringify(config), { path: 'config.json', secrets: { file, env: {} } })
}

describe('config: the hub', () => {
  it('makes each channel of the hub a channel of this machine with `summary` clearance', () => {
    const hub = { url, password: '${P}', channels: ['team'] }
    const { config, secrets } = parse({ hub }, { P: 'secret-1' })
    expect(Object.keys(config.channels).sort()).toEqual(['desktop', 'team'])
    expect(config.channels.team).toMatchObject({ type: 'hub', url, clearance: 'summary' })
    expect(config.hub?.password).toBe('secret-1')
    expect(secrets).toContain('secret-1')
  })

  it('has channels that routes can name', () => {
    const routes = [{ on: ['done'], to: ['team'] }]
    expect(parse({ hub: { url, channels: ['team'] }, routes }).config.routes).toHaveLength(1)
  })

  it('makes only its own channels unusable if its password is not set', () => {
    const hub = { url, password: '${P}', channels: ['team'] }
    const { config, hubProblem } = parse({ hub })
    expect(config.channels.team).toMatchObject({ state: 'broken', why: '${P} not set' })
    expect(hubProblem).toBe('${P} not set')
    expect(readyChannels(config)).toEqual(['desktop'])
  })

  it('may refer to variables and commands, and so may the other channels of this machine', () => {
    const hub = { url, password: '${P}', channels: ['fleet'] }
    const later = { type: 'slack', url: '${LATER}' }
    const team = { type: 'slack', url: 'https://example.com/${P}' }
    const config = {
      env: ['P'],
      secrets: { LATER: ['/bin/false'] },
      hub,
      channels: { team, later },
    }
    const context = { path: 'config.json', secrets: { file: new Map(), env: { P: 'secret-1' } } }
    const parsed = parseConfig(JSON.stringify(config), context)
    expect(parsed.config.hub?.password).toBe('secret-1')
    expect(parsed.config.channels).toMatchObject({
      fleet: { type: 'hub', password: 'secret-1' },
      team: { type: 'slack', url: 'https://example.com/secret-1' },
    })
    expect(parsed.config.channels.later).toMatchObject({ type: 'slack', state: 'waiting' })
  })

  it('fetches and redacts the secrets of the hub and of the channels that bypass it', () => {
    const names = ['fetched', 'listed', 'literal']
    const hub = { url, password: '${P}', channels: names, after: 'direct' }
    const channels = {
      fetched: { type: 'slack', url: '${LATER}' },
      listed: { type: 'ntfy', topic: 'x', token: '${T}' },
      literal: { type: 'ntfy', topic: 'x', token: 'secret-3' },
    }
    const secrets = { LATER: ['/bin/false'] }
    const config = { env: ['P', 'T'], secrets, hub, channels }
    const env = { P: 'secret-1', T: 'secret-2' }
    const context = { path: 'config.json', secrets: { file: new Map(), env } }
    const parsed = parseConfig(JSON.stringify(config), context)
    expect(parsed.secrets).toEqual(expect.arrayContaining(['secret-1', 'secret-2', 'secret-3']))
    expect(parsed.sources).toEqual(secrets)
    const { listed, fetched } = parsed.config.channels
    expect(listed?.standIn).toMatchObject({ type: 'ntfy', token: 'secret-2' })
    const why = expect.stringContaining('waits for')
    expect(fetched?.standIn).toMatchObject({ state: 'waiting', why })
  })

  it('keeps a channel of the same name for direct delivery with `after: direct`', () => {
    const hub = { url, channels: ['team'], after: 'direct' }
    const team = { type: 'slack', url: '${S}', clearance: 'minimal' }
    const S = 'https://hooks.slack.com/services/T1/B2/abc'
    const { config, secrets, checked } = parse({ hub, channels: { team } }, { S })
    // A configuration with direct channels is not cached: it is validated each time.
    expect(checked).toBeUndefined()
    expect(config.channels.team).toMatchObject({ type: 'hub', url, clearance: 'minimal' })
    expect(config.hub?.directAfterMinutes).toBe(10)
    expect(config.channels.team?.standIn).toMatchObject({ type: 'slack', url: S })
    expect(secrets).toContain(S)
    const without = parse({ hub, channels: { team } })
    expect(without.unset).toEqual(['S'])
    const why = 'cannot stand in for the hub: ${S} not set'
    const standIn = { state: 'broken', why }
    expect(without.config.channels.team).toMatchObject({ type: 'hub', standIn })
  })

  it.each([
    [{ team: { type: 'slack' } }, 'config.json:1:', 'channels.team.url: is missing'],
    [
      { team: { type: 'slack', url: 'https://example.com/x', ulr: 'x' } },
      ': channels.team.ulr: unknown key',
    ],
    [{ desktop: { type: 'desktop' } }, 'config.json:1:', 'hub.after: no channel of the hub'],
  ])('reports the problem of the channels %j next to a hub', (channels, ...texts) => {
    const hub = { url, channels: ['team'], after: 'direct' }
    for (const text of texts) expect(() => parse({ hub, channels })).toThrow(text)
  })

  it('is saved without its password', () => {
    const kept = withoutSecrets({ hub: { url, password: 'secret-1', channels: ['team'] } }, '/')
    expect(kept).not.toContain('secret-1')
    expect(JSON.parse(kept).hub).toMatchObject({ url, channels: ['team'] })
  })

  it.each([
    [{ url: 'https://x', channels: ['team'] }, 'hub.url: must be such as rediss://'],
    [{ url, channels: ['a b'] }, 'a name of letters'],
    [{ url, channels: ['desktop'] }, '"desktop" is a channel of this machine already'],
    [{ url, chanels: [] }, 'hub.chanels: unknown key'],
    [{ channels: ['team'] }, 'hub.url'],
  ])('reports the problem of %j', (hub, message) => {
    expect(() => parse({ hub, channels: { desktop: { type: 'desktop' } } })).toThrow(message)
  })
})
