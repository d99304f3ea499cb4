import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readyChannels } from '../../src/config/channels.ts'
import { fillOutline, outlineOf } from '../../src/config/config-cache.ts'
import { CurrentConfig } from '../../src/config/current.ts'
import { loadConfig } from '../../src/config/load/load.ts'
import { configSchema } from '../../src/config/schema/schema.ts'
import { readConfigSummary } from '../../src/config/summary.ts'
import { makeFolder } from '../support/folder.ts'

const LATER_MS = 60_000
const hook = (name: string) => `https://hooks.slack.com/services/T0/B0/${name}-not-to-be-kept`
const inline = hook('inline')

async function makeConfig(text: object = makeText()) {
  const folder = await makeFolder()
  const [configDir, stateDir] = [join(folder, 'config'), join(folder, 'state')]
  for (const path of [configDir, stateDir]) mkdirSync(path, { mode: 0o700 })
  const write = (name: string, content: string) =>
    writeFileSync(join(configDir, name), content, { mode: 0o600 })
  write('secrets.env', `HOOK=${hook('first')}\n`)
  write('config.json', JSON.stringify(text))
  const kept = join(stateDir, 'cache/checked-config.json')
  return {
    ...{ configDir, stateDir, kept, write },
    /** Loads the configuration as a new process does. */
    load: (now = Date.now() + LATER_MS) => new CurrentConfig(configDir, stateDir, () => now).get(),
    /** Changes the cached result, so that its use becomes visible. */
    forge() {
      writeFileSync(kept, readFileSync(kept, 'utf8').replace('"maxAgeHours":24', '"maxAgeHours":5'))
    },
  }
}

function makeText() {
  return {
    channels: {
      team: { type: 'slack', url: '${HOOK}' },
      other: { type: 'slack', url: inline },
      local: { type: 'file', path: '/tmp/$NAME' },
    },
  }
}

describe('a cached result of the configuration check', () => {
  it('gives the next process the same result', async () => {
    const { load, kept, forge } = await makeConfig()
    const { checked, ...first } = load()
    expect(checked).toBeDefined()
    expect(load()).toEqual(first)
    expect(first.warnings).toHaveLength(1)
    expect(first.secrets).toContain(inline)
    forge()
    expect(load().config.retry.maxAgeHours).toBe(5)
    expect(statSync(kept).mode & 0o777).toBe(0o600)
  })

  it.runIf(process.getuid?.() === 0)(
    'is not written by root to the state folder of another user',
    async () => {
      const { configDir, load, stateDir } = await makeConfig()
      chownSync(stateDir, 65_534, 65_534)
      writeFileSync(join(stateDir, 'last-good-config.json'), 'theirs')
      load()
      await readConfigSummary(configDir, stateDir, Date.now() + LATER_MS)
      rmSync(join(configDir, 'config.json'))
      load()
      expect(readdirSync(stateDir)).toEqual(['last-good-config.json'])
      expect(readFileSync(join(stateDir, 'last-good-config.json'), 'utf8')).toBe('theirs')
    },
  )

  it('may fail to be stored without a problem', async () => {
    const { configDir, kept, load } = await makeConfig()
    load()
    const stateInFile = new CurrentConfig(configDir, join(kept, 'x')).get()
    expect(stateInFile).toMatchObject({ source: 'file' })
    expect(stateInFile.problem).toBeUndefined()
    rmSync(join(configDir, 'config.json'))
    expect(new CurrentConfig(configDir, join(kept, 'x')).get().problem).toBeUndefined()
  })

  it('contains no secret', async () => {
    const { load, kept } = await makeConfig()
    load()
    expect(readFileSync(kept, 'utf8')).not.toContain('not-to-be-kept')
  })

  it('is also made for the built-in settings without a file', async () => {
    const { load, kept } = await makeConfig({ channels: {} })
    const stateDir = join(kept, '../..')
    const folder = join(stateDir, '../none')
    const now = () => Date.now() + LATER_MS
    const { checked, ...first } = new CurrentConfig(folder, stateDir, now).get()
    expect(first.source).toBe('built-in')
    expect(checked).toBeDefined()
    expect(new CurrentConfig(folder, stateDir, now).get()).toEqual(first)
    expect(load().source).toBe('file')
  })

  it.each<[string, (config: Awaited<ReturnType<typeof makeConfig>>) => void, object]>([
    [
      'another secret',
      ({ write }) => write('secrets.env', `HOOK=${hook('second')}\n`),
      { config: { channels: { team: { url: hook('second') } } } },
    ],
    [
      'a secret that is not a URL',
      ({ write }) => write('secrets.env', 'HOOK=nonsense\n'),
      { problem: { message: expect.stringContaining('https URL') } },
    ],
    [
      'another setting',
      ({ write }) => write('config.json', JSON.stringify({ retry: { maxAgeHours: 7 } })),
      { config: { retry: { maxAgeHours: 7 } } },
    ],
    [
      'a broken file',
      ({ write }) => write('config.json', '{'),
      { source: 'last good', problem: { message: expect.stringContaining('not JSON') } },
    ],
    [
      'a file that others can write',
      ({ configDir }) => chmodSync(join(configDir, 'config.json'), 0o666),
      { problem: { message: expect.stringContaining('other users can change it') } },
    ],
  ])('is not used after %s', async (_, change, expected) => {
    const config = await makeConfig()
    config.load()
    config.forge()
    change(config)
    expect(config.load()).toMatchObject(expected)
    expect(config.load()).toMatchObject(expected)
  })

  it.each<[string, (kept: string) => void]>([
    ['is damaged', (kept) => writeFileSync(kept, '{')],
    ['is writable for others', (kept) => chmodSync(kept, 0o666)],
    ['is in a folder that others can write', (kept) => chmodSync(join(kept, '..'), 0o777)],
  ])('is not used if it %s', async (_, change) => {
    const { load, kept, forge } = await makeConfig()
    load()
    forge()
    change(kept)
    expect(load().config.retry.maxAgeHours).toBe(24)
  })

  it.each<[string, object]>([
    ['waits for a command', { ...makeText(), secrets: { HOOK: ['pass', 'hook'] } }],
    ['has a channel that cannot be used', { channels: { a: { type: 'slack', url: '${NO}' } } }],
    ['is invalid', { channels: { a: { type: 'slack' } } }],
  ])('is not made if the configuration %s', async (_, text) => {
    const { load, kept, write } = await makeConfig(text)
    write('secrets.env', '')
    load()
    expect(existsSync(kept)).toBe(false)
  })

  it('is not made if a command has fetched a secret', async () => {
    const { configDir, write } = await makeConfig({ ...makeText(), secrets: { HOOK: ['pass'] } })
    write('secrets.env', '')
    const fetched = { valueOf: () => inline, failureOf: () => undefined }
    const { checked, config } = loadConfig(configDir, { fetched })
    expect([checked, readyChannels(config)]).toEqual([undefined, Object.keys(config.channels)])
  })

  it('is not made of a file that was just written, because another change might go unnoticed', async () => {
    const { load, kept } = await makeConfig()
    load(Date.now())
    expect(existsSync(kept)).toBe(false)
  })
})

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
