import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CurrentConfig } from '../../src/config/current.ts'
import { makeFolder } from '../support/folder.ts'

it('recent() returns the configuration that was last read', async () => {
  const folder = await makeFolder()
  const configure = (lingerSeconds: number) => {
    const path = join(folder, 'config.json')
    writeFileSync(`${path}.new`, JSON.stringify({ lingerSeconds }))
    renameSync(`${path}.new`, path)
  }
  const config = new CurrentConfig(folder, folder)
  for (const seconds of [1, 2, 3]) {
    configure(seconds)
    expect(config.get().config.lingerSeconds).toBe(seconds)
    expect(config.recent()).toBe(config.last)
  }
})

describe('the values in secrets.env are kept out of texts', () => {
  const valid = JSON.stringify({ channels: { audit: { type: 'file', path: '/tmp/audit' } } })

  async function makeConfig(text?: string) {
    const folder = await makeFolder()
    const path = join(folder, 'config.json')
    const secretsEnv = join(folder, 'secrets.env')
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 })
    writeFileSync(secretsEnv, 'TOKEN=abc123def\n', { mode: 0o600 })
    const load = () => new CurrentConfig(folder, folder).get()
    return { path, secretsEnv, load }
  }

  it.each([
    ['there is no config.json', undefined, 'built-in'],
    ['config.json was never valid', '{', 'built-in'],
    ['config.json is valid', valid, 'file'],
  ])('if %s', async (_, text, source) => {
    const { load } = await makeConfig(text)
    expect(load()).toMatchObject({ source, secrets: ['abc123def'] })
  })

  it('if config.json is broken after it was valid', async () => {
    const { path, load } = await makeConfig(valid)
    load()
    writeFileSync(path, '{')
    expect(load()).toMatchObject({ source: 'last good', secrets: ['abc123def'] })
  })

  it.skipIf(process.platform === 'win32').each([
    ['config.json was never read', false, 'built-in'],
    ['config.json was valid before', true, 'last good'],
  ])('if other users can read that file and %s', async (_, wasRead, source) => {
    const { secretsEnv, load } = await makeConfig(valid)
    if (wasRead) load()
    chmodSync(secretsEnv, 0o644)
    expect(load()).toMatchObject({ source, secrets: ['abc123def'] })
  })

  it('if it is changed while config.json is broken', async () => {
    const { path, secretsEnv, load } = await makeConfig('{')
    writeFileSync(secretsEnv, 'TOKEN=another456\n')
    expect(load().secrets).toEqual(['another456'])
    rmSync(path)
    expect(load().secrets).toEqual(['another456'])
  })
})
