import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readCodeCache, writeCodeCache } from '../../src/fs/code-cache.ts'
import { packageRoot } from '../../src/package-root.ts'
import { makeFolder } from '../support/folder.ts'

describe('the code cache of a command', () => {
  let folder: string
  let text: string
  beforeEach(async () => {
    folder = await makeFolder()
    for (const name of ['dist', 'templates']) mkdirSync(join(folder, name))
    text = `No events yet. Register hookbell with: node ${realpathSync(folder)}/bin/hookbell init\n`
    for (const name of ['cli.cjs', 'cli-code.cjs', 'log.cjs']) {
      cpSync(join(packageRoot(), 'dist', name), join(folder, 'dist', name))
    }
    cpSync(join(packageRoot(), 'bin'), join(folder, 'bin'), { recursive: true })
  })

  function log(): string {
    const env = { PATH: process.env.PATH, HOME: folder, HOOKBELL_STATE_DIR: join(folder, 'state') }
    const args = [join(folder, 'bin/hookbell'), 'log']
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    return stdout + stderr
  }

  const cache = (name: string) => join(folder, 'dist', `${name}.cache`)
  const source = (name: string) => readFileSync(join(folder, 'dist', `${name}.cjs`))
  const names = ['cli-code', 'log']

  it('is written on the first start and reused on the next one', () => {
    expect(log()).toBe(text)
    const before = names.map((name) => statSync(cache(name)).ino)
    for (const name of names) {
      expect(readCodeCache(cache(name), source(name))?.length).toBeGreaterThan(5000)
    }
    expect(log()).toBe(text)
    expect(names.map((name) => statSync(cache(name)).ino)).toEqual(before)
  })

  it.each([
    ['damaged', () => writeFileSync(cache('log'), 'nonsense')],
    ['of another source', () => writeCodeCache(cache('log'), Buffer.from('1'), Buffer.from('2'))],
    ['refused by V8', () => writeCodeCache(cache('log'), source('log'), Buffer.from('2'))],
  ])('is replaced when it is %s', (_, spoil) => {
    spoil()
    expect(log()).toBe(text)
    expect(readCodeCache(cache('log'), source('log'))?.length).toBeGreaterThan(5000)
  })

  it('is not written to a folder that others can change', () => {
    chmodSync(join(folder, 'dist'), 0o777)
    expect(log()).toBe(text)
    expect(statSync(cache('log'), { throwIfNoEntry: false })).toBeUndefined()
  })
})
