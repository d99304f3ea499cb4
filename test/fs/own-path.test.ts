import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, chown, lchown, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownFolder, ownPath } from '../../src/fs/own-path.ts'
import { makeFolder } from '../support/folder.ts'
import { STRANGER } from '../support/stranger.ts'

const isRoot = process.getuid?.() === 0

/** A folder with the file `a/b/file`, and links to it. */
async function makeTree() {
  const top = await realpath(await makeFolder())
  await mkdir(join(top, 'a/b'), { recursive: true })
  writeFileSync(join(top, 'a/b/file'), '')
  const at = (name: string) => join(top, name)
  symlinkSync('a/b', at('relative'))
  symlinkSync(at('a'), at('absolute'))
  symlinkSync('../../a/b/../b/file', at('a/b/around'))
  symlinkSync('loop', at('loop'))
  return { top, at }
}

describe.skipIf(process.platform === 'win32')('a path that only this user can change', () => {
  it.each(['a/b/file', 'relative/file', 'absolute/b/file', './a//b/./file', 'a/b/around'])(
    'is one such as %s, and is named without its links',
    async (name) => {
      const { at } = await makeTree()
      expect((await ownPath(`${at('.')}/${name}`))?.path).toBe(at('a/b/file'))
    },
  )

  it('stays where it was found if a link in it is changed later', async () => {
    const { at } = await makeTree()
    const found = await ownPath(at('relative/file'))
    mkdirSync(at('other'))
    symlinkSync('other', at('new'))
    renameSync(at('new'), at('relative'))
    expect(found?.path).toBe(at('a/b/file'))
  })

  it.each<[string, (at: (name: string) => string) => unknown, string?]>([
    ['its group can write a folder', (at) => chmod(at('a'), 0o770)],
    ['everybody can write a folder', (at) => chmod(at('a/b'), 0o707)],
    [
      'everybody can write the folder that a link leads to',
      (at) => chmod(at('a'), 0o777),
      'relative/file',
    ],
    ['it does not exist', () => {}, 'a/none'],
    ['it leads in a circle', () => {}, 'loop/file'],
    ['a file is in the place of a folder', () => {}, 'a/b/file/x'],
    ['it contains a zero byte', () => {}, 'a/b/file\0'],
  ])('is none if %s', async (_, change, name = 'a/b/file') => {
    const { at } = await makeTree()
    await change(at)
    expect(await ownPath(at(name))).toBeUndefined()
  })

  it.skipIf(!isRoot).each<[string, (at: (name: string) => string) => unknown, string?]>([
    ['a folder', (at) => chown(at('a'), STRANGER, STRANGER)],
    [
      'a folder with the sticky bit',
      async (at) => {
        await chown(at('a'), STRANGER, STRANGER)
        await chmod(at('a'), 0o1777)
      },
    ],
    ['its end', (at) => chown(at('a/b/file'), STRANGER, STRANGER)],
    ['a link in it', (at) => lchown(at('relative'), STRANGER, STRANGER), 'relative/file'],
    ['a link at its end', (at) => lchown(at('a/b/around'), STRANGER, STRANGER), 'a/b/around'],
  ])('is none if another user owns %s', async (_, change, name = 'a/b/file') => {
    const { at } = await makeTree()
    await change(at)
    expect(await ownPath(at(name))).toBeUndefined()
  })

  it('may be in a folder where everybody can write, but remove only what is theirs', async () => {
    const { at } = await makeTree()
    await chmod(at('a'), 0o1777)
    expect((await ownPath(at('a/b/file')))?.path).toBe(at('a/b/file'))
  })

  it('is absolute', async () => {
    for (const path of ['', 'a', '../a', '~/a']) expect(await ownPath(path)).toBeUndefined()
  })

  it('may begin at a folder that counts as one', async () => {
    const { at } = await makeTree()
    await chmod(at('.'), 0o777)
    expect(await ownPath(at('a/b/file'))).toBeUndefined()
    expect((await ownPath(at('a/b/file'), at('a')))?.path).toBe(at('a/b/file'))
  })
})

it.skipIf(process.platform === 'win32')(
  'a folder of this user is one to which others cannot write',
  async () => {
    const { at } = await makeTree()
    expect(await ownFolder(at('relative'))).toBe(at('a/b'))
    expect(await ownFolder(at('a/b/file'))).toBeUndefined()
    await chmod(at('a/b'), 0o1777)
    expect(await ownFolder(at('relative'))).toBeUndefined()
  },
)
