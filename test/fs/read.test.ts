import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { HookbellError } from '../../src/errors.ts'
import { exists, readQuietly, readRegular } from '../../src/fs/read.ts'
import { makeHome } from '../install/make-home.ts'

let folder = ''
const at = (name: string) => join(folder, name)
const read = (name: string, maxBytes = 100) => readRegular(at(name), { maxBytes })
const openFiles = () => readdirSync('/proc/self/fd').length

function problemOf(name: string, maxBytes?: number): string {
  try {
    return `it was read: ${read(name, maxBytes)}`
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error
    return `${error.code} ${error.message.replaceAll(folder, '')} | ${error.hint}`
  }
}

beforeEach(() => {
  folder = makeHome()
  writeFileSync(at('file'), 'x'.repeat(100))
  mkdirSync(at('folder'))
  symlinkSync('file', at('link'))
  symlinkSync('nowhere', at('dangling'))
  symlinkSync('loop', at('loop'))
})

describe('a small file', () => {
  it('is read whole, even through a link, if it is as large as allowed', () => {
    expect([read('file'), read('link')]).toEqual(Array(2).fill('x'.repeat(100)))
    expect(read('missing')).toBeUndefined()
  })

  it('is read without a byte order mark at its beginning, but with any other one', () => {
    for (const [text, rest] of [
      ['\ufeffa\ufeff', 'a\ufeff'],
      ['a\ufeff', 'a\ufeff'],
    ] as const) {
      writeFileSync(at('file'), text)
      expect(read('file')).toBe(rest)
    }
  })

  it('is read whole if it needs more than one call', () => {
    const text = `a${'é'.repeat(100_000)}`
    writeFileSync(at('file'), text)
    expect(read('file', 1_000_000)).toBe(text)
  })

  it.each([
    ['file', 99, 'E_CONFIG /file: larger than 99 bytes | Shorten it'],
    ['folder', 100, 'E_CONFIG /folder: not a regular file | Put a regular file in its place'],
    ['dangling', 100, 'E_CONFIG /dangling: a link to nothing | Repair the link, or remove it'],
    [
      'loop',
      100,
      'E_CONFIG /loop: a link that leads back to itself | Repair the link, or remove it',
    ],
    [
      'file/inside',
      100,
      /^E_CONFIG \/file\/inside: a part of this path is not a folder \| Put a f/,
    ],
    [`${'x'.repeat(300)}`, 100, /^E_CONFIG \/x+: .*name too long.* \| undefined$/],
  ])('is refused, with the reason: %s, at most %i bytes', (name, maxBytes, problem) => {
    if (typeof problem === 'string') expect(problemOf(name, maxBytes)).toBe(problem)
    else expect(problemOf(name, maxBytes)).toMatch(problem)
  })

  it.skipIf(process.platform === 'win32')('is refused at once if it is a pipe', () => {
    execFileSync('mkfifo', [at('pipe')])
    expect(problemOf('pipe')).toMatch(/^E_CONFIG \/pipe: not a regular file/)
  })

  it.skipIf(process.platform === 'win32')(
    'is refused in the same words if it is a socket',
    async () => {
      const server = createServer().listen(at('socket'))
      await once(server, 'listening')
      expect(problemOf('socket')).toMatch(/^E_CONFIG \/socket: not a regular file \| Put a regular/)
      server.close()
    },
  )

  it.runIf(process.platform === 'linux')(
    'is refused if it is too large but reports a size of 0',
    () => {
      const path = '/proc/self/maps'
      expect(() => readRegular(path, { maxBytes: 10 })).toThrow(`${path}: larger than 10 bytes`)
    },
  )

  it('is not read if its owner or mode is refused', () => {
    const check = (path: string, { size }: { size: number }) => {
      throw new HookbellError('E_CONFIG', `${path} of ${size}`)
    }
    expect(() => readRegular(at('file'), { maxBytes: 1, check })).toThrow(`${at('file')} of 100`)
  })

  it.runIf(process.platform === 'linux')('is closed, whether it was read or refused', () => {
    const before = openFiles()
    for (const name of ['file', 'folder', 'missing']) problemOf(name)
    problemOf('file', 1)
    expect(openFiles()).toBe(before)
  })

  it('counts as missing, without an error, if it is not essential and cannot be read', () => {
    writeFileSync(at('large'), 'x'.repeat(1024 * 1024))
    writeFileSync(at('larger'), 'x'.repeat(1024 * 1024 + 1))
    expect(readQuietly(at('large'))).toHaveLength(1024 * 1024)
    const others = ['larger', 'folder', 'dangling', 'missing'].map((name) => readQuietly(at(name)))
    expect(others).toEqual(Array(4).fill(undefined))
  })
})

it('nothing exists below a file', () => {
  expect(exists(at('file/name'))).toBe(false)
})

it('a link exists even if it leads to nothing', () => {
  expect(exists(at('dangling'))).toBe(true)
})
