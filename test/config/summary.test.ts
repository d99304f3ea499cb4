import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfigSummary } from '../../src/config/summary.ts'
import { makeFolder } from '../support/folder.ts'

const LATER_MS = 60_000
const secret = 'https://hooks.slack.com/services/T0/B0/not-to-be-kept'

async function makeConfig() {
  const folder = await makeFolder()
  const [configDir, stateDir] = [join(folder, 'config'), join(folder, 'state')]
  for (const path of [configDir, stateDir]) mkdirSync(path, { mode: 0o700 })
  const kept = join(stateDir, 'cache/config-channels.json')
  const write = (name: string, text: string) =>
    writeFileSync(join(configDir, name), text, { mode: 0o600 })
  write('config.json', JSON.stringify({ channels: { team: { type: 'slack', url: '${HOOK}' } } }))
  write('secrets.env', `HOOK=${secret}\n`)
  return {
    ...{ configDir, stateDir, kept, write },
    read: (now = Date.now() + LATER_MS) => readConfigSummary(configDir, stateDir, now),
    /** Changes the cached summary, so that its use becomes visible. */
    forge() {
      writeFileSync(kept, readFileSync(kept, 'utf8').replace('"team"', '"forged"'))
    },
  }
}

describe('the summary of the configuration', () => {
  it('is cached privately, without secrets, and used while no file changes', async () => {
    const { read, kept, forge } = await makeConfig()
    const summary = await read()
    expect(summary).toEqual({
      source: 'file',
      channels: { team: { type: 'slack', clearance: 'summary' } },
      unreachable: [],
      unset: [],
      warnings: [],
    })
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect(await read()).toEqual(summary)
    expect(readFileSync(kept, 'utf8')).not.toContain(secret)
    forge()
    expect((await read()).channels).toMatchObject({ forged: { type: 'slack' } })
  })

  it('is read again when config.jsonc appears, and warns that this file is not read', async () => {
    const { read, write, configDir } = await makeConfig()
    rmSync(join(configDir, 'config.json'))
    expect((await read()).warnings).toEqual([])
    write('config.jsonc', '{}')
    expect((await read()).warnings).toEqual([expect.stringContaining('config.jsonc: is not read')])
  })

  it('contains everything that commands show, also when it comes from the cache', async () => {
    const { read, write, configDir } = await makeConfig()
    mkdirSync(join(configDir, 'templates/plain'), { recursive: true, mode: 0o700 })
    writeFileSync(join(configDir, 'templates/plain/mine.liquid'), 'x', { mode: 0o600 })
    const hub = { url: 'redis://127.0.0.1:1', password: '${HUB}', channels: ['fleet'] }
    const later = { type: 'slack', url: '${LATER}' }
    const config = {
      ...{ extraCaFile: '/etc/ca.pem', secrets: { LATER: ['/bin/false'] } },
      ...{ hub, channels: { team: { type: 'slack', url: '${HOOK}' }, later } },
      routes: [{ on: ['done'], to: ['team'], template: 'mine' }],
    }
    const expected = {
      source: 'file',
      channels: {
        team: { type: 'slack' },
        later: { type: 'slack', state: 'waiting', why: expect.stringMatching(/LATER.*waits for/) },
        fleet: { type: 'hub', state: 'broken', why: '${HUB} not set' },
      },
      unset: ['HUB'],
      unreachable: [],
      warnings: [],
      hasHub: true,
      extraCaFile: '/etc/ca.pem',
      templates: ['mine'],
    }
    write('config.json', JSON.stringify(config))
    expect(await read()).toMatchObject(expected)
    expect(await read()).toMatchObject(expected)
    write('secrets.env', `HOOK=${secret}\nHUB=x\n`)
    const { hasHub, channels } = await read()
    expect(hasHub).toBe(true)
    const states = Object.entries(channels).map(([name, { state }]) => [name, state])
    expect(Object.fromEntries(states)).toEqual({ later: 'waiting' })
  })

  it('names the channels that cannot stand in for the hub, and what to do about a problem', async () => {
    const { read, write } = await makeConfig()
    const hub = { url: 'redis://127.0.0.1:1', channels: ['team'], after: 'direct' }
    const team = { type: 'slack', url: '${NOPE}' }
    write('config.json', JSON.stringify({ hub, channels: { team } }))
    expect(await read()).toMatchObject({
      channels: { team: { standIn: { why: 'cannot stand in for the hub: ${NOPE} not set' } } },
    })
    write('config.json', JSON.stringify({ chanels: {} }))
    expect((await read()).problem).toEqual({
      message: expect.stringContaining('chanels: unknown key'),
      hint: 'Did you mean "channels"?',
    })
  })

  it.each<[string, (config: Awaited<ReturnType<typeof makeConfig>>) => void, object]>([
    [
      'a broken config.json',
      ({ write }) => write('config.json', '{ "channels": 1 }'),
      { source: 'last good', problem: { message: expect.stringContaining('config.json:1:') } },
    ],
    [
      'a missing secret',
      ({ write }) => write('secrets.env', ''),
      { channels: { team: { why: '${HOOK} not set' } }, unset: ['HOOK'] },
    ],
    [
      'a config.json that others can write',
      ({ configDir }) => chmodSync(join(configDir, 'config.json'), 0o666),
      { problem: { message: expect.stringContaining('other users can change it') } },
    ],
    [
      'a folder that others can write',
      ({ configDir }) => chmodSync(configDir, 0o777),
      { problem: { message: expect.stringContaining('other users can change it') } },
    ],
  ])('hides no problem: %s', async (_, change, expected) => {
    const config = await makeConfig()
    await config.read()
    change(config)
    expect(await config.read()).toMatchObject(expected)
    expect(await config.read()).toMatchObject(expected)
  })

  it.each<[string, (kept: string) => void]>([
    ['is damaged', (kept) => writeFileSync(kept, '{')],
    ['is writable for others', (kept) => chmodSync(kept, 0o666)],
    ['is in a folder that others can write', (kept) => chmodSync(join(kept, '..'), 0o777)],
  ])('is not read from a cache that %s', async (_, change) => {
    const { read, forge, kept } = await makeConfig()
    await read()
    forge()
    change(kept)
    expect((await read()).channels).toMatchObject({ team: { type: 'slack' } })
  })

  it('is not cached if a file has just changed, because another change might go unnoticed', async () => {
    const { read, kept } = await makeConfig()
    await read(Date.now())
    expect(existsSync(kept)).toBe(false)
  })
})
