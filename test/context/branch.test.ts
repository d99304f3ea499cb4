import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { branchOf } from '../../src/context/branch.ts'
import { makeHome } from './_world.ts'

describe('the branch', () => {
  function makeRepository(head: string) {
    const { home } = makeHome()
    mkdirSync(join(home, 'app/.git'), { recursive: true })
    mkdirSync(join(home, 'app/src/deep'), { recursive: true })
    writeFileSync(join(home, 'app/.git/HEAD'), head)
    return { home, cwd: join(home, 'app/src/deep') }
  }

  it.each([
    ['ref: refs/heads/main\n', 'main'],
    ['ref: refs/heads/feature/tax-1.2#3\n', 'feature/tax-1.2#3'],
    ['0123456789012345678901234567890123456789\n', ''],
    ['ref: refs/heads/a b\n', ''],
    ['not a ref: refs/heads/main\n', ''],
    ['ref: refs/heads/\u001b[31m\n', ''],
    ['ref: refs/heads/../../x\n', ''],
    [`ref: refs/heads/${'x'.repeat(5000)}\n`, ''],
    ['', ''],
  ])('with %j in HEAD is %j', async (head, branch) => {
    expect(await branchOf(makeRepository(head).cwd)).toBe(branch)
  })

  it('of a work tree is read from its repository', async () => {
    const { home } = makeRepository('ref: refs/heads/main\n')
    mkdirSync(join(home, 'app/.git/worktrees/wt'), { recursive: true })
    writeFileSync(join(home, 'app/.git/worktrees/wt/HEAD'), 'ref: refs/heads/other\n')
    mkdirSync(join(home, 'wt'))
    writeFileSync(join(home, 'wt/.git'), 'gitdir: ../app/.git/worktrees/wt\n')
    expect(await branchOf(join(home, 'wt'))).toBe('other')
  })

  it('is empty, without waiting, if .git or HEAD is a pipe or a link', async () => {
    const { home } = makeHome()
    mkdirSync(join(home, 'a/.git'), { recursive: true })
    mkdirSync(join(home, 'b/.git'), { recursive: true })
    execFileSync('mkfifo', [join(home, 'a/.git/HEAD')])
    symlinkSync('/dev/zero', join(home, 'b/.git/HEAD'))
    execFileSync('mkfifo', [join(home, '.git')])
    expect(await branchOf(join(home, 'a'))).toBe('')
    expect(await branchOf(join(home, 'b'))).toBe('')
    expect(await branchOf(home)).toBe('')
  })

  it('is empty without a repository', async () => {
    expect(await branchOf('')).toBe('')
    expect(
      await branchOf(relative(process.cwd(), makeRepository('ref: refs/heads/main\n').cwd)),
    ).toBe('')
    expect(await branchOf('/a\0b')).toBe('')
    expect(await branchOf('/')).toBe('')
  })

  it('is empty where .git names no folder', async () => {
    const { home, cwd } = makeRepository('ref: refs/heads/main\n')
    mkdirSync(join(home, 'wt'))
    writeFileSync(join(home, 'wt/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(home, 'wt/.git'), `the gitdir: ${join(cwd, '../../.git')}\n`)
    expect(await branchOf(join(home, 'wt'))).toBe('')
  })

  it.runIf(existsSync('/proc/self/root'))('is not read through a system path', async () => {
    const { home, cwd } = makeRepository('ref: refs/heads/main\n')
    expect(await branchOf(join('/proc/self/root', cwd))).toBe('')
    mkdirSync(join(home, 'wt'))
    writeFileSync(join(home, 'wt/.git'), `gitdir: ${join('/proc/self/root', home, 'app/.git')}\n`)
    expect(await branchOf(join(home, 'wt'))).toBe('')
  })
})
