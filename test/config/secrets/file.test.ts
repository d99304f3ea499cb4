import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { removeSecret, writeSecret } from '../../../src/config/secrets/file.ts'
import { parseSecrets, readSecrets } from '../../../src/config/secrets/secrets.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { makeFolder } from '../../support/folder.ts'
import { buildProgram } from '../../support/program.ts'

const isRoot = process.getuid?.() === 0

async function makeSecrets(text?: string) {
  const folder = await makeFolder()
  const path = join(folder, 'secrets.env')
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 })
  return { folder, path, read: () => readFileSync(path, 'utf8') }
}

describe('secrets.env', () => {
  it('loses no line when two processes write at the same time', async () => {
    const { folder, read } = await makeSecrets()
    const program = await buildProgram('src/config/secrets/file.ts')
    const code = (name: string) =>
      `import { writeSecret } from ${JSON.stringify(pathToFileURL(program).href)}\n` +
      `for (let at = 0; at < 50; at += 1) writeSecret(${JSON.stringify(folder)}, '${name}' + at, 'x')`
    const write = (name: string) =>
      execa(process.execPath, ['--input-type=module', '--eval', code(name)])
    await Promise.all([write('A'), write('B')])
    expect(parseSecrets(read()).values.size).toBe(100)
  })

  it('is created private, in a private folder, even with umask 0', async () => {
    const { folder } = await makeSecrets()
    const config = join(folder, 'new', 'config')
    const before = process.umask(0)
    try {
      writeSecret(config, 'TOKEN', 'abc')
    } finally {
      process.umask(before)
    }
    expect(statSync(config).mode & 0o777).toBe(0o700)
    expect(statSync(join(config, 'secrets.env')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(config, 'secrets.env'), 'utf8')).toBe('TOKEN=abc\n')
  })

  it('keeps all other lines with their comments, order and line endings', async () => {
    const { folder, read } = await makeSecrets(
      '# mine\r\nexport A=1\r\n\r\nwhat is this\r\nB="2"\r\n',
    )
    writeSecret(folder, 'A', 'new')
    writeSecret(folder, 'C', '3')
    expect(read()).toBe('# mine\r\nexport A=new\r\n\r\nwhat is this\r\nB="2"\r\nC=3\r\n')
    expect(removeSecret(folder, 'B')).toBe(true)
    expect(removeSecret(folder, 'B')).toBe(false)
    expect(read()).toBe('# mine\r\nexport A=new\r\n\r\nwhat is this\r\nC=3\r\n')
  })

  it('is not created when a missing secret is removed', async () => {
    const { folder, path } = await makeSecrets()
    expect(removeSecret(folder, 'A')).toBe(false)
    expect(existsSync(path)).toBe(false)
  })

  it.each([
    ['A=old\nB=1\nA=newer', 'B=1\nA=newest'],
    ['A=old\n', 'A=newest\n'],
    ['B=1', 'B=1\nA=newest\n'],
  ])('keeps the other values and replaces all of the same name: %j', async (before, after) => {
    const { folder, read } = await makeSecrets(before)
    writeSecret(folder, 'A', 'newest')
    expect(read()).toBe(after)
  })

  it('returns any single-line value unchanged', async () => {
    const { folder } = await makeSecrets()
    const value = fc
      .string({ unit: anyCharacter, minLength: 1 })
      .filter((text) => !/[\r\n\0]/.test(text.toWellFormed()))
    fc.assert(
      fc.property(value, (text) => {
        writeSecret(folder, 'A', text.toWellFormed())
        expect(readSecrets(folder).values.get('A')).toBe(text.toWellFormed())
      }),
      { numRuns: 200 },
    )
  })

  it.each(['two\nlines', 'a\rb', 'nul\0'])(
    'rejects %j without repeating the value',
    async (value) => {
      const { folder } = await makeSecrets()
      expect(() => writeSecret(folder, 'A', value)).toThrow(
        expect.objectContaining({
          message: 'the value has more than one line',
          hint: expect.stringContaining('can come from a command'),
        }),
      )
    },
  )

  it('is written through a symbolic link to the target', async () => {
    const { folder, path } = await makeSecrets()
    mkdirSync(join(folder, 'dotfiles'))
    const target = join(folder, 'dotfiles', 'secrets')
    writeFileSync(target, 'A=1\n', { mode: 0o600 })
    symlinkSync(target, path)
    writeSecret(folder, 'B', '2')
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe('A=1\nB=2\n')
  })

  it.skipIf(process.platform === 'win32')('is not written if others can read it', async () => {
    const { folder, path, read } = await makeSecrets('A=1\n')
    chmodSync(path, 0o640)
    expect(() => writeSecret(folder, 'B', '2')).toThrow(/secrets\.env: other users can read it/)
    expect(read()).toBe('A=1\n')
  })

  it.skipIf(process.platform === 'win32')(
    'is not written if others can change its folder',
    async () => {
      const { folder, read } = await makeSecrets('A=1\n')
      chmodSync(folder, 0o777)
      expect(() => writeSecret(folder, 'B', '2')).toThrow(/: other users can change it/)
      expect(read()).toBe('A=1\n')
    },
  )

  it.skipIf(!isRoot)('is neither read nor written if it belongs to another user', async () => {
    const { folder, path, read } = await makeSecrets('A=1\n')
    chownSync(path, 54_321, 54_321)
    const fault = /belongs to another user \(uid 54321\)/
    expect(() => readSecrets(folder)).toThrow(fault)
    expect(() => writeSecret(folder, 'B', '2')).toThrow(fault)
    expect(read()).toBe('A=1\n')
  })

  it.skipIf(!isRoot)('of root can be read, but not replaced, by another user', async () => {
    const { folder, read } = await makeSecrets('A=1\n')
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(54_321)
    onTestFinished(() => getuid.mockRestore())
    expect(readSecrets(folder).values.get('A')).toBe('1')
    expect(() => writeSecret(folder, 'B', '2')).toThrow(/belongs to another user \(uid 0\)/)
    expect(read()).toBe('A=1\n')
  })

  it.each([
    ['abc # of the app', 'abc'],
    ['abc#1', 'abc#1'],
    ['#abc', '#abc'],
    ['"abc #1"', 'abc #1'],
    ['"abc" # of the app', 'abc'],
    [`'it"s' # don't share`, 'it"s'],
    [`"it's"  # of the app`, "it's"],
    ['"abc" def', '"abc" def'],
    ['abc"def"', 'abc"def"'],
    ['abc"def" # of the app', 'abc"def"'],
  ])('the line A=%s sets %s', async (text, value) => {
    expect(parseSecrets(`A=${text}`).values.get('A')).toBe(value)
    const { folder } = await makeSecrets('')
    writeSecret(folder, 'A', text)
    expect(readSecrets(folder).values.get('A')).toBe(text)
  })

  it('does not set an empty value', () => {
    expect([...parseSecrets('A=\nB=""\nC=1\nC=\nD= \n').values]).toEqual([])
  })

  it('reports invalid lines only by their number', () => {
    const { values, junk } = parseSecrets('# note\n\nA=1\nxoxb-secret\n  \nB C=2\n=3\n')
    expect([...values]).toEqual([['A', '1']])
    expect(junk).toEqual([4, 6, 7])
  })
})
