import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/load/load.ts'
import { addChannels } from '../../src/install/add-channels.ts'

const slack = { type: 'slack', url: '${SLACK_WEBHOOK_URL}' }

function makeFolder(config?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (config !== undefined) writeFileSync(join(folder, 'config.json'), config, { mode: 0o640 })
  return folder
}

const textIn = (folder: string) => readFileSync(join(folder, 'config.json'), 'utf8')

describe('addChannels', () => {
  it('creates a configuration file with mode 0600, in a folder with mode 0700', () => {
    const folder = join(makeFolder(), 'hookbell')
    const path = addChannels(folder, { desktop: { type: 'desktop' }, slack })
    expect([path, folder].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o700])
    expect(JSON.parse(textIn(folder))).toEqual({
      channels: { desktop: { type: 'desktop' }, slack },
    })
    expect(loadConfig(folder).config.routes[0]?.to).toEqual(['desktop', 'slack'])
  })

  it('keeps comments, indentation and the file mode', () => {
    const folder = makeFolder(
      '{\n\t// mine\n\t"channels": {\n\t\t"desk": { "type": "desktop" } // here\n\t}\n}\n',
    )
    addChannels(folder, { slack })
    expect(textIn(folder)).toBe(
      '{\n\t// mine\n\t"channels": {\n\t\t"desk": { "type": "desktop" }, // here\n\t\t"slack": {\n\t\t\t"type": "slack",\n\t\t\t"url": "${SLACK_WEBHOOK_URL}"\n\t\t}\n\t}\n}\n',
    )
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o640)
  })

  it('adds a route when the file has routes, since otherwise no event would reach the channel', () => {
    const folder = makeFolder(
      '{ "channels": { "a": { "type": "desktop" } }, "routes": [{ "on": ["done"], "to": ["a"] }] }',
    )
    addChannels(folder, { slack })
    const { channels, routes } = JSON.parse(textIn(folder))
    expect(Object.keys(channels)).toEqual(['a', 'slack'])
    expect(routes).toHaveLength(2)
    expect(routes[1].to).toEqual(['slack'])
    expect(routes[1].on).toContain('permission')
  })

  it.each<[{ routes?: object[]; digest?: object }, string[]]>([
    [{ routes: [{ on: ['done'], to: ['desktop'] }] }, ['desktop', 'slack']],
    [{ routes: [{ on: ['done'], steps: [{ to: ['desktop'] }] }] }, ['desktop', 'slack']],
    [{ digest: { at: '18:00', to: ['desktop'] } }, ['desktop', 'slack']],
    [{ routes: [] }, ['slack']],
    [{}, ['slack']],
  ])('keeps the built-in channel if the file names it: %j', (config, names) => {
    const folder = makeFolder(JSON.stringify(config))
    addChannels(folder, { slack })
    const { channels, routes } = JSON.parse(textIn(folder))
    expect(Object.keys(channels)).toEqual(names)
    expect(channels.desktop).toEqual(names.includes('desktop') ? { type: 'desktop' } : undefined)
    expect(routes?.at(-1).to).toEqual(config.routes && ['slack'])
  })

  it('keeps a byte order mark', () => {
    const folder = makeFolder('\uFEFF{}\n')
    addChannels(folder, { slack })
    expect(textIn(folder)).toMatch(/^\uFEFF\{/)
    addChannels(folder, { desktop: { type: 'desktop' } })
    expect(textIn(folder)).toMatch(/^\uFEFF\{/)
  })

  it('writes through a symbolic link to its target', () => {
    const folder = makeFolder()
    const elsewhere = join(makeFolder('{}'), 'config.json')
    symlinkSync(elsewhere, join(folder, 'config.json'))
    addChannels(folder, { slack })
    expect(readFileSync(elsewhere, 'utf8')).toContain('slack')
  })

  it.each([undefined, '{}'])('keeps a file that others change meanwhile: %j before', (before) => {
    const folder = makeFolder(before)
    const theirs = '{ "lingerSeconds": 5 }'
    const channels = {
      get slack() {
        writeFileSync(join(folder, 'config.json'), theirs)
        return slack
      },
    }
    expect(() => addChannels(folder, channels)).toThrow(/config\.json: was changed meanwhile/)
    expect(textIn(folder)).toBe(theirs)
  })

  it.each([
    ['an invalid configuration', '{ "chanels": {} }'],
    ['a list', '[]'],
    [
      'a route with an unknown template',
      '{ "channels": { "d": { "type": "desktop" } }, "routes": [{ "on": ["done"], "to": ["d"], "template": "x" }] }',
    ],
    ['an invalid channel', '{}', { slack: { type: 'slack' } }],
  ])('throws and changes nothing for %s', (_, before, channels: object = { slack }) => {
    const folder = makeFolder(before)
    expect(() => addChannels(folder, channels as never)).toThrow(/config/)
    expect(textIn(folder)).toBe(before)
  })

  it.skipIf(process.platform === 'win32')('writes to no folder that others can change', () => {
    const folder = makeFolder('{}')
    chmodSync(folder, 0o777)
    expect(() => addChannels(folder, { slack })).toThrow(/: other users can change it/)
    expect(textIn(folder)).toBe('{}')
  })
})
