import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { brokenChannels } from '../../src/config/channels.ts'
import { CurrentConfig } from '../../src/config/current.ts'
import { foldersAtRisk, refuseFoldersAtRisk } from '../../src/config/folders-at-risk.ts'
import type { HookbellError } from '../../src/errors.ts'
import { Templates } from '../../src/render/templates.ts'
import { buildProgram } from '../support/program.ts'
import { shellQuote } from '../support/shell-quote.ts'

const isRoot = process.getuid?.() === 0
const STRANGER = 65_533

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-trust-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function makeWorld() {
  const config = makeFolder()
  const state = makeFolder()
  writeFileSync(join(config, 'config.json'), '{"lingerSeconds": 7}', { mode: 0o600 })
  writeFileSync(join(config, 'secrets.env'), 'TOKEN=some-secret', { mode: 0o600 })
  mkdirSync(join(config, 'templates'))
  const current = new CurrentConfig(config, state)
  expect(current.get().source).toBe('file')
  return { config, state, current }
}

describe('a file or folder that other users can change', () => {
  it.each([
    ['config.json', 0o666, 'go-w'],
    ['config.json', 0o602, 'go-w'],
    ['.', 0o777, 'go-w'],
    ['secrets.env', 0o602, '600'],
  ])('is not used until the suggested command is run: %s with mode %o', async (name, mode, fix) => {
    const { config, state, current } = makeWorld()
    const path = join(config, name)
    chmodSync(path, mode)
    for (const one of [current, new CurrentConfig(config, state)]) {
      const { problem, source, config: inForce } = one.get()
      expect([source, inForce.lingerSeconds]).toEqual(['last good', 7])
      expect(problem?.hint).toBe(`Run: chmod ${fix} ${shellQuote(path.replace(/\/\.$/, ''))}`)
    }
    await execa('sh', ['-c', current.get().problem?.hint?.replace('Run: ', '') ?? 'false'])
    expect(current.get()).toMatchObject({ source: 'file' })
    expect(current.get().problem).toBeUndefined()
  })

  it.runIf(isRoot)('is not used if its group can write it', () => {
    const { config, current } = makeWorld()
    chmodSync(join(config, 'config.json'), 0o660)
    expect(current.get().problem?.message).toMatch(/other users can change it \(mode 0660\)$/)
  })

  it.runIf(isRoot).each(['config.json', 'secrets.env', '.'])(
    'is not used if it belongs to another user: %s',
    (name) => {
      const { config, current } = makeWorld()
      chownSync(join(config, name), STRANGER, STRANGER)
      const { problem, source } = current.get()
      expect(source).toBe('last good')
      expect(problem?.message).toMatch(/belongs to another user \(uid 65533\)$/)
      expect(problem?.hint).toMatch(/sudo chown -R 0 '/)
    },
  )

  it.runIf(isRoot)('is not used if the link to its folder belongs to another user', () => {
    const { config, state } = makeWorld()
    const link = join(makeFolder(), 'config')
    symlinkSync(config, link)
    expect(new CurrentConfig(link, state).get().problem).toBeUndefined()
    lchownSync(link, STRANGER, STRANGER)
    const { problem, source } = new CurrentConfig(link, state).get()
    expect(source).toBe('last good')
    expect(problem?.message).toBe(`${link}: a link of another user (uid 65533)`)
  })

  it.each(['.', 'templates'])('is not read for templates: %s', (folder) => {
    const { config } = makeWorld()
    mkdirSync(join(config, 'templates/plain'))
    writeFileSync(join(config, 'templates/plain/done.liquid'), 'Finished')
    const template = () => new Templates(config).own('plain', 'done')
    expect(template()).toBe('Finished')
    chmodSync(join(config, folder), 0o777)
    expect(template()).toBeUndefined()
  })

  // Another user may have put a link there to any file of this user.
  it('is not read for secrets', () => {
    const { config, state } = makeWorld()
    const channel = { type: 'webhook', url: '${TOKEN}' }
    writeFileSync(join(config, 'secrets.env'), 'TOKEN=https://example.com', { mode: 0o600 })
    writeFileSync(join(config, 'config.json'), JSON.stringify({ channels: { team: channel } }))
    const current = () => new CurrentConfig(config, state).get()
    expect(current().secrets).toEqual(['https://example.com'])
    expect(brokenChannels(current().config)).toEqual([])
    chmodSync(config, 0o777)
    expect(current().secrets).toEqual([])
    expect(brokenChannels(current().config)).toMatchObject([{ why: 'waits for secrets.env' }])
  })

  it('is reported also without a config.json', () => {
    const { config, state } = makeWorld()
    rmSync(join(config, 'config.json'))
    chmodSync(config, 0o777)
    const { problem } = new CurrentConfig(config, state).get()
    expect(problem?.message).toContain('other users can change it')
  })

  it('is reported for each folder', () => {
    const { config, state } = makeWorld()
    expect(foldersAtRisk(config, state)).toEqual([])
    for (const folder of [config, join(config, 'templates'), state]) {
      chmodSync(folder, 0o777)
      const [fault] = foldersAtRisk(config, state)
      expect(fault?.hint).toBe(`Run: chmod go-w ${shellQuote(folder)}`)
      expect(() => refuseFoldersAtRisk(config, state)).toThrow(fault as HookbellError)
      chmodSync(folder, 0o700)
    }
    expect(foldersAtRisk(join(config, 'none'), join(state, 'none'))).toEqual([])
  })
})

describe('a file that is not regular or too large', () => {
  it.each(['config.json', 'secrets.env'])(
    'is rejected without waiting if it is a pipe in place of %s',
    async (name) => {
      const { config, state, current } = makeWorld()
      rmSync(join(config, name))
      await execa('mkfifo', ['-m', '600', join(config, name)])
      // Runs in a separate process, because a process cannot end its own wait for a pipe.
      const program = await buildProgram('src/config/current.ts')
      const script = `const { CurrentConfig } = await import(process.argv[1])
        console.log(new CurrentConfig(...process.argv.slice(2)).get().problem?.message)`
      const words = ['--input-type=module', '-e', script, program, config, state]
      const { stdout } = await execa(process.execPath, words, { timeout: 600_000 })
      expect(stdout).toBe(`${join(config, name)}: not a regular file`)
      expect(current.get()).toMatchObject({ source: 'last good', config: { lingerSeconds: 7 } })
    },
  )

  it('is rejected if it is larger than 1 MiB', () => {
    const { config, current } = makeWorld()
    writeFileSync(join(config, 'config.json'), ' '.repeat(1024 * 1024 + 1))
    expect(current.get().problem?.message).toMatch(/larger than 1048576 bytes/)
  })
})
