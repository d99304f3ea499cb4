import { execFileSync } from 'node:child_process'
import {
  accessSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readProjectFile } from '../../src/context/project-file.ts'
import { PathGate } from '../../src/fs/path-gate.ts'
import { sha256 } from '../../src/text/sha256.ts'
import { makeHome } from './_world.ts'

const isRoot = process.getuid?.() === 0

/** A home with a repository `shop` that has a folder `src`. */
function makeRepository() {
  const { home } = makeHome()
  const root = join(home, 'shop')
  mkdirSync(join(root, '.git'), { recursive: true })
  mkdirSync(join(root, 'src'))
  const path = join(root, '.hookbell.json')
  return { home, root, path, read: (cwd = root) => readProjectFile(cwd, home) }
}

describe('the file of a project', () => {
  it('is read from the top of the repository around a folder', async () => {
    const { root, path, read } = makeRepository()
    const text = '{"name":"Shop"}'
    writeFileSync(path, `\uFEFF${text}`)
    const hash = sha256(Buffer.from(`\uFEFF${text}`))
    const file = { root, owner: process.getuid?.(), text, hash }
    expect([await read(), await read(join(root, 'src'))]).toEqual([file, file])
  })

  it('is read only from the folder itself outside of a repository', async () => {
    const { home, read } = makeRepository()
    const folder = join(home, 'notes/today')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(home, 'notes/.hookbell.json'), '{}')
    expect(await read(folder)).toBeUndefined()
    writeFileSync(join(folder, '.hookbell.json'), '{}')
    expect(await read(folder)).toMatchObject({ root: folder, text: '{}' })
  })

  it('has no effect in the home directory, or for its repository', async () => {
    const { home, read } = makeRepository()
    mkdirSync(join(home, 'notes'))
    mkdirSync(join(home, '.git'))
    writeFileSync(join(home, '.hookbell.json'), '{}')
    expect([await read(home), await read(join(home, 'notes'))]).toEqual([undefined, undefined])
  })

  it('is undefined if neither the folder nor its repository has one', async () => {
    const { root, read } = makeRepository()
    writeFileSync(join(root, 'src/file'), '')
    for (const cwd of [root, join(root, 'gone')]) expect(await read(cwd), cwd).toBeUndefined()
    const { home } = makeHome()
    writeFileSync(join(home, 'file'), '')
    expect(await readProjectFile(join(home, 'file'), '/home/me')).toBeUndefined()
  })

  it.each(['', 'shop', '/home/me', '/srv/shop\0', '/proc/self/cwd', '//host/share', '/net/host'])(
    'is not looked for in %j',
    async (cwd) => {
      const gate = new PathGate()
      const run = vi.spyOn(gate, 'run')
      expect(await readProjectFile(cwd, '/home/me', gate)).toBeUndefined()
      expect(run).not.toHaveBeenCalled()
    },
  )

  it.each<[string, (path: string) => void, string]>([
    ['a link', (path) => symlinkSync('/etc/passwd', path), 'a symbolic link'],
    ['a folder', (path) => mkdirSync(path), 'not a regular file'],
    ['a pipe', (path) => void execFileSync('mkfifo', [path]), 'not a regular file'],
    ['large', (path) => writeFileSync(path, 'x'.repeat(65_537)), 'larger than 65536 bytes'],
  ])('is refused, with the reason, if it is %s', async (_, make, refused) => {
    const { root, path, read } = makeRepository()
    make(path)
    expect(await read()).toEqual({ root, refused })
  })

  it.skipIf(!isRoot)('is refused if it belongs to another user', async () => {
    const { root, path, read } = makeRepository()
    writeFileSync(path, '{}')
    chownSync(path, 54_321, 54_321)
    expect(await read()).toEqual({ root, refused: 'belongs to another user' })
  })

  it('is read up to 64 kB', async () => {
    const { path, read } = makeRepository()
    writeFileSync(path, 'x'.repeat(65_536))
    expect(await read()).toMatchObject({ text: 'x'.repeat(65_536) })
  })

  it.skipIf(!canWrite('/dev/shm'))(
    'is not read in a system folder, even through a link',
    async () => {
      const { home, read } = makeRepository()
      const folder = mkdtempSync('/dev/shm/hookbell-')
      onTestFinished(() => rmSync(folder, { recursive: true }))
      writeFileSync(join(folder, '.hookbell.json'), '{}')
      symlinkSync(folder, join(home, 'link'))
      expect([await read(folder), await read(join(home, 'link'))]).toEqual([undefined, undefined])
    },
  )
})

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
