import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isUnchanged, readSettings } from '../../src/install/file.ts'
import { makeHome } from './make-home.ts'

describe('readSettings', () => {
  it('reads the text with its byte order mark', () => {
    const path = join(makeHome({ f: '\uFEFF{"ключ": "🔔"}' }), 'f')
    expect(readSettings(path)).toMatchObject({ realPath: path, text: '\uFEFF{"ключ": "🔔"}' })
  })

  it('returns no hash for a missing file or folder', () => {
    const home = makeHome()
    expect(readSettings(join(home, 'f'))).toMatchObject({ text: '', hash: undefined })
    expect(readSettings(join(home, 'none/f'))).toMatchObject({ hash: undefined })
  })

  it('finds where a missing file would be in a linked folder', () => {
    const home = makeHome({ 'dotfiles/claude/other': '' })
    symlinkSync('dotfiles/claude', join(home, '.claude'))
    const found = ['.claude/settings.json', '.claude/hooks/a.json'].map((name) =>
      readSettings(join(home, name)),
    )
    expect(found).toMatchObject([
      { realPath: join(home, 'dotfiles/claude/settings.json'), hash: undefined },
      { realPath: join(home, 'dotfiles/claude/hooks/a.json'), hash: undefined },
    ])
  })

  it.each<[string, (path: string) => unknown, RegExp, RegExp?]>([
    ['a folder', (path) => mkdirSync(path), /not a regular file/],
    ['a pipe', (path) => spawnSync('mkfifo', [path]), /not a regular file/],
    ['a device', (path) => symlinkSync('/dev/zero', path), /not a regular file/],
    [
      'a dangling link',
      (path) => symlinkSync('nowhere', path),
      /a symbolic link to nothing/,
      /^Repair the link/,
    ],
    ['a link to itself', (path) => symlinkSync(path, path), /leads back to itself/],
    [
      'a read-only file',
      (path) => writeFileSync(path, '{}', { mode: 0o444 }),
      /is read-only/,
      /^Make it writable\. .*hookbell init --print/,
    ],
    ['a large file', (path) => writeFileSync(path, ' '.repeat(2 ** 20 + 1)), /larger than 1 MiB/],
    [
      'invalid UTF-8',
      (path) => writeFileSync(path, Buffer.from([123, 0xff, 125])),
      /not UTF-8/,
      /^Save it as UTF-8/,
    ],
    ['UTF-16', (path) => writeFileSync(path, Buffer.from('\uFEFF{}', 'utf16le')), /not UTF-8/],
    [
      'a truncated character',
      (path) => writeFileSync(path, Buffer.from('"é').subarray(0, 2)),
      /not UTF-8/,
    ],
  ])('rejects %s', (_, make, message, hint = /^[A-Z]/) => {
    const path = join(makeHome(), 'settings.json')
    make(path)
    expect(() => readSettings(path)).toThrow(
      expect.objectContaining({
        code: 'E_SETTINGS',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(new RegExp(`${hint.source}.*\\. Nothing was written$`)),
      }),
    )
  })

  it.skipIf(process.platform !== 'linux')(
    'rejects a path in which the name of a folder is not UTF-8',
    () => {
      const home = makeHome()
      const odd = Buffer.concat([Buffer.from(`${home}/`), Buffer.from([0xff])])
      mkdirSync(odd)
      writeFileSync(Buffer.concat([odd, Buffer.from('/settings.json')]), '{}')
      // Node.js decodes the environment and the working folder like this.
      const path = `${home}/${Buffer.from([0xff]).toString()}/settings.json`
      expect(() => readSettings(path)).toThrow(/a folder of this path has a name that is not UTF-8/)
      mkdirSync(dirname(path))
      expect(readSettings(path).hash).toBe(undefined)
    },
  )

  it('accepts exactly 1 MiB', () => {
    const path = join(makeHome({ f: ' '.repeat(2 ** 20) }), 'f')
    expect(readSettings(path).text).toHaveLength(2 ** 20)
  })

  it.runIf(process.getuid?.() === 0)('rejects a file of another user', () => {
    const path = join(makeHome({ f: '{}' }), 'f')
    chownSync(path, 12345, 12345)
    expect(() => readSettings(path)).toThrow(/belongs to another user/)
  })
})

describe('isUnchanged', () => {
  it.each<[string, (path: string) => unknown]>([
    ['other bytes', (path) => writeFileSync(path, '{"a":1}')],
    ['invalid bytes', (path) => writeFileSync(path, Buffer.from([0xff]))],
    ['a mode that forbids writing', (path) => chmodSync(path, 0o400)],
  ])('is false for %s', (_, change) => {
    const path = join(makeHome({ f: '{}' }), 'f')
    const old = readSettings(path)
    expect(isUnchanged(path, old)).toBe(true)
    change(path)
    expect(isUnchanged(path, old)).toBe(false)
  })

  it('is true for the same bytes written again', () => {
    const path = join(makeHome({ f: '{}' }), 'f')
    const old = readSettings(path)
    writeFileSync(path, '{}')
    expect(isUnchanged(path, old)).toBe(true)
  })
})
