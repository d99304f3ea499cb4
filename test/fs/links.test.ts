import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { followLink, isInside, realPath, targetOf } from '../../src/fs/links.ts'
import { makeHome } from '../install/make-home.ts'

let folder = ''
const at = (name: string) => join(folder, name)

beforeEach(() => {
  folder = makeHome()
  writeFileSync(at('file'), 'x')
  mkdirSync(at('folder'))
  for (const [to, name] of Object.entries({ file: 'link', link: 'second', folder: 'inside' }))
    symlinkSync(to, at(name))
  symlinkSync('/nowhere/file', at('dangling'))
  symlinkSync('loop', at('loop'))
})

describe('a path', () => {
  it.each([
    ['file', 'file'],
    ['link', 'file'],
    ['second', 'file'],
    ['inside/new', 'inside/new'],
    ['missing', 'missing'],
  ])('%s is written at %s, so that links stay', (name, target) => {
    expect(targetOf(at(name))).toBe(at(target))
  })

  it.each([
    ['link', 'file'],
    ['inside', 'folder'],
    ['missing', 'missing'],
    ['dangling', 'dangling'],
    ['loop', 'loop'],
  ])('%s leads to %s, or stays as it is', (name, real) => {
    expect(realPath(at(name))).toBe(at(real))
  })

  it.each([
    ['dangling', 'a link to nothing'],
    ['loop', 'a link that leads back to itself'],
  ])('%s is not treated as a missing file: %s', (name, what) => {
    const refused = expect.objectContaining({
      ...{
        code: 'E_SPOOL',
        message: `${at(name)}: ${what}`,
        hint: expect.stringMatching(/^Repair/),
      },
    })
    expect(() => followLink(at(name), 'E_SPOOL')).toThrow(refused)
    expect(() => targetOf(at(name))).toThrow(`${at(name)}: ${what}`)
  })

  it('below a link to nothing is refused, and the error names the link', () => {
    expect(() => followLink(at('dangling/a/b'), 'E_SPOOL')).toThrow(
      `${at('dangling')}: a link to nothing`,
    )
  })

  it('below a file fails with the error of the system', () => {
    expect(() => followLink(at('file/below'), 'E_SPOOL')).toThrow(/^ENOTDIR/)
  })

  it('that is missing is distinguished from one that leads to a file or folder', () => {
    expect(followLink(at('missing'), 'E_CONFIG')).toBeUndefined()
    expect(followLink(at('second'), 'E_CONFIG')?.isFile()).toBe(true)
    expect(followLink(at('inside'), 'E_CONFIG')?.isDirectory()).toBe(true)
  })
})

it.each([
  ['/home/sam/shop', '/home/sam', true],
  ['/home/sam', '/', true],
  ['/home/samantha', '/home/sam', false],
  ['/home/sam', '/home/sam', false],
  ['/home', '/home/sam', false],
])('%s lies below %s: %s', (path, folder, expected) => {
  expect(isInside(path, folder)).toBe(expected)
})
