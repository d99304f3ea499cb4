import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { branchOf } from '../../src/context/project.ts'
import { readProjectFile } from '../../src/context/project-rules.ts'
import { isBelow, readHead, readTail, sizeOf } from '../../src/context/tail.ts'
import { makeHome } from './_world.ts'

const gone = { text: '', isRefused: false }
const refused = { text: '', isRefused: true }

it('letter case does not matter for whether a path is below a folder, but only on Windows', () => {
  const root = 'C:\\Users\\me\\.claude\\projects'
  expect(isBelow('c:\\users\\Me\\.claude\\projects\\x.jsonl', [root], 'win32')).toBe(true)
  expect(isBelow('c:\\users\\me\\.claude\\projects2\\x.jsonl', [root], 'win32')).toBe(false)
  expect(isBelow('/me/.claude/x', ['/me/.Claude'], 'linux')).toBe(false)
})

describe('a file of the client', () => {
  it('is read from its start, from its end, or not at all', async () => {
    const { root, path } = makeHome()
    writeFileSync(path, 'first\nsecond\nthird\n')
    expect(await readHead(path, [root], 9)).toBe('first\nsec')
    expect(await readTail(path, [root], 9)).toMatchObject({ text: 'third\n', isAll: false })
    expect(await readTail(path, [root], 100)).toMatchObject({ isAll: true, isRefused: false })
    expect(await sizeOf(path, [root])).toBe(19)
  })

  it('may have a path that begins with ~', async () => {
    const { home, path } = makeHome()
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    writeFileSync(path, 'text')
    expect(await sizeOf('~/.factory/sessions/s1.jsonl', ['~/.factory/sessions'])).toBe(4)
  })

  it('that does not exist yet is not refused, unlike one outside of the folder', async () => {
    const { home, root, path } = makeHome()
    writeFileSync(join(home, 'outside'), 'text')
    symlinkSync(join(home, 'outside'), join(root, 'link'))
    mkdirSync(join(root, 'folder'))
    mkdirSync(`${root}-2`)
    writeFileSync(join(`${root}-2`, 'x'), 'text')
    const copy = join(home, 'copy', root)
    mkdirSync(copy, { recursive: true })
    writeFileSync(join(copy, 'x'), 'text')
    expect(await readTail(path, [root], 9)).toMatchObject(gone)
    // droid has two folders, of which usually only one exists.
    const roots = [root, join(home, '.factory/projects')]
    const names = ['link', 'folder', '../../outside', '../sessions-2/x', '']
    for (const other of [...names.map((name) => `${root}/${name}`), join(copy, 'x')]) {
      expect(await readTail(other, roots, 9), other).toMatchObject(refused)
      expect(await sizeOf(other, roots), other).toBeUndefined()
    }
    expect(await sizeOf('relative', [root])).toBeUndefined()
  })
})

describe('a file of another user in the folder of the client', () => {
  it.skipIf(process.getuid?.() !== 0)('is not read', async () => {
    const { root, path } = makeHome()
    writeFileSync(path, 'text')
    chownSync(path, 54_321, 54_321)
    expect(await readTail(path, [root], 9)).toMatchObject(refused)
    expect(await sizeOf(path, [root])).toBeUndefined()
  })
})

describe.runIf(existsSync('/proc/self/fd'))('files whose paths come from payloads', () => {
  it('are all closed after reading', async () => {
    const { home, root, path } = makeHome()
    const repository = join(home, 'shop')
    mkdirSync(join(repository, '.git'), { recursive: true })
    const files = [path, join(repository, '.git/HEAD'), join(repository, '.hookbell.json')]
    const readAll = async () => {
      await readTail(path, [root], 9)
      await readHead(path, [root], 9)
      await sizeOf(path, [root])
      await branchOf(repository)
      await readProjectFile(repository, home)
    }
    for (const file of files) execFileSync('mkfifo', [file])
    await readAll()
    expect(openBelow(home)).toEqual([])
    for (const file of files) execFileSync('rm', [file])
    for (const file of files) writeFileSync(file, '{}')
    await readAll()
    expect(openBelow(home)).toEqual([])
  })
})

/** The files below a folder that this process has open. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    .filter((path) => path.startsWith(folder))
}
