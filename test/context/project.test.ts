import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectName } from '../../src/context/project.ts'
import { makeHome } from './_world.ts'

describe('the name of a project', () => {
  it('is the name of the folder with .git, or else of the folder itself', async () => {
    const { home } = makeHome()
    mkdirSync(join(home, 'api-server/.git'), { recursive: true })
    mkdirSync(join(home, 'api-server/src/deep'), { recursive: true })
    mkdirSync(join(home, 'plain'))
    expect(await projectName(join(home, 'api-server/src/deep'), home)).toBe('api-server')
    expect(await projectName(join(home, 'plain'), home)).toBe('plain')
    expect(await projectName(join(home, 'gone/away'), home)).toBe('away')
    expect(await projectName(home, home)).toBe('~')
    expect(await projectName('relative', home)).toBe('')
    expect(await projectName('', home)).toBe('')
    expect(await projectName('/', home)).toBe('')
    expect(await projectName('/a\0b', home)).toBe('a\0b')
  })

  it.each([
    ['shop/.claude/worktrees/bold-fox', 'shop/.git', 'shop (bold-fox)'],
    ['shop-login', 'shop/.git', 'shop-login'],
    ['feature', 'shop.git', 'shop (feature)'],
  ])('of the work tree %s of %s is %s', async (folder, repository, name) => {
    const { home } = makeHome()
    mkdirSync(join(home, folder, 'src'), { recursive: true })
    const git = join(home, repository, 'worktrees/one')
    writeFileSync(join(home, folder, '.git'), `gitdir: ${git}\n`)
    expect(await projectName(join(home, folder, 'src'), home)).toBe(name)
  })

  it('of a submodule is that of its folder', async () => {
    const { home } = makeHome()
    mkdirSync(join(home, 'shop/lib'), { recursive: true })
    writeFileSync(join(home, 'shop/lib/.git'), 'gitdir: ../.git/modules/lib\n')
    expect(await projectName(join(home, 'shop/lib'), home)).toBe('lib')
  })

  it.each([
    'gitdir: GIT/worktrees/one/deeper\n',
    'gitdir: GIT/worktrees\n',
    'the gitdir: GIT/worktrees/one\n',
    '',
  ])('is that of the folder itself if .git contains %j', async (text) => {
    const { home } = makeHome()
    const folder = join(home, 'mnt/proc/fox')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '.git'), text.replace('GIT', join(home, 'shop/.git')))
    expect(await projectName(folder, home)).toBe('fox')
  })

  it('is that of the repository also below a folder called net', async () => {
    const { home } = makeHome()
    mkdirSync(join(home, 'net/shop/.git'), { recursive: true })
    mkdirSync(join(home, 'net/shop/src'))
    expect(await projectName(join(home, 'net/shop/src'), home)).toBe('shop')
  })

  it.runIf(existsSync('/proc/self/root'))('is not looked up through a system path', async () => {
    const { home } = makeHome()
    mkdirSync(join(home, 'shop/.git'), { recursive: true })
    mkdirSync(join(home, 'shop/src'))
    expect(await projectName(join('/proc/self/root', home, 'shop/src'), home)).toBe('src')
  })
})
