import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
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
  const kept = join(stateDir, 'cache/config-summary.json')
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
      channels: { team: 'slack' },
      unreachable: [],
      unusable: {},
      unset: [],
      warnings: [],
    })
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect(await read()).toEqual(summary)
    expect(readFileSync(kept, 'utf8')).not.toContain(secret)
    forge()
    expect((await read()).channels).toEqual({ forged: 'slack' })
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
      { unusable: { team: '${HOOK} not set' }, unset: ['HOOK'] },
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
    expect((await read()).channels).toEqual({ team: 'slack' })
  })

  it('is not cached if a file has just changed, because another change might be undetectable', async () => {
    const { read, kept } = await makeConfig()
    await read(Date.now())
    expect(existsSync(kept)).toBe(false)
  })
})
