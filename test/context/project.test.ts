import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beganIn, branchOf, folderOf, projectName } from '../../src/context/project.ts'
import { makeHome } from './_world.ts'

describe('the folder that names the project of a session', () => {
  const git = (cwd: string, ...words: string[]) => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
    expect(spawnSync('git', words, { cwd, env }).status).toBe(0)
  }

  /** `shop` with a linked work tree in it and one beside it, a clone in it, and another repository. */
  function makeRepositories() {
    const { home } = makeHome()
    for (const name of ['shop/src', 'shop/vendor/lib', 'other', 'plain/src'])
      mkdirSync(join(home, name), { recursive: true })
    for (const name of ['shop', 'shop/vendor/lib', 'other']) git(join(home, name), 'init', '-q')
    const person = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    git(join(home, 'shop'), ...person, 'commit', '-q', '--allow-empty', '-m', 'First')
    for (const tree of ['.claude/worktrees/bold-fox', '../feature'])
      git(join(home, 'shop'), 'worktree', 'add', '-q', '--detach', tree)
    symlinkSync(join(home, 'shop'), join(home, 'link'))
    return home
  }

  it('is where the agent works only within the repository in which it began', async () => {
    const home = makeRepositories()
    const folder = async (cwd: string, began: string) =>
      (await folderOf(join(home, cwd), join(home, began))).slice(home.length + 1)
    for (const within of ['shop/src', 'shop/.claude/worktrees/bold-fox', 'feature']) {
      expect(await folder(within, 'shop')).toBe(within)
      expect(await folder('shop', within)).toBe('shop')
    }
    expect(await folder('feature', 'link')).toBe('feature')
    for (const other of ['other', 'shop/vendor/lib', 'plain', 'gone/away'])
      expect(await folder(other, 'shop'), other).toBe('shop')
    expect(await folder('shop', 'other')).toBe('other')
    expect(await folder('shop', 'shop/vendor/lib')).toBe('shop/vendor/lib')
    // Without a repository nothing shows that a folder below belongs to it.
    expect(await folder('plain/src', 'plain')).toBe('plain')
  })

  it('is where it began if a folder pretends to be a work tree of it', async () => {
    const home = makeRepositories()
    const began = join(home, 'shop')
    const fake = join(home, 'other/fake')
    mkdirSync(fake)
    for (const path of ['shop/.git', 'shop/.git/worktrees', 'shop/.git/modules/lib']) {
      writeFileSync(join(fake, '.git'), `gitdir: ${join(home, path)}/../nothing\n`)
      expect(await folderOf(fake, began)).toBe(began)
    }
  })

  it.each(['', 'relative', '/proc/self/cwd', '//server/share'])(
    'is not looked up if the agent works in %j',
    async (cwd) => {
      const home = makeRepositories()
      expect(await folderOf(cwd, join(home, 'shop'))).toBe(join(home, 'shop'))
    },
  )

  it('began as the client says, or else where its first event came from', () => {
    const env = { CLAUDE_PROJECT_DIR: '/srv/shop', FACTORY_PROJECT_DIR: '/srv/api' }
    const of = (client: string, more: object = {}, known?: string) =>
      beganIn({ client, cwd: '/srv/lib', env, ...more }, known)
    expect(of('claude')).toBe('/srv/shop')
    expect(of('droid')).toBe('/srv/api')
    expect(of('claude', {}, '/srv/first')).toBe('/srv/shop')
    // Set by an agent in whose terminal it was started.
    for (const client of ['codex', 'kimi', 'opencode', 'unknown'])
      expect(of(client)).toBe('/srv/lib')
    expect(of('codex', {}, '/srv/first')).toBe('/srv/first')
    for (const CLAUDE_PROJECT_DIR of ['', 'shop', '~/shop'])
      expect(of('claude', { env: { CLAUDE_PROJECT_DIR } }, '/srv/first')).toBe('/srv/first')
  })
})

describe('the name of a project', () => {
  it('is the name of the folder with .git, or else of the folder itself', async () => {
    const { home } = makeHome()
    mkdirSync(join(home, 'api-server/.git'), { recursive: true })
    mkdirSync(join(home, 'api-server/src/deep'), { recursive: true })
    mkdirSync(join(home, 'plain'))
    expect(await projectName(join(home, 'api-server/src/deep'), home)).toBe('api-server')
    expect(await projectName(join(home, 'plain'), home)).toBe('plain')
    expect(await projectName(join(home, 'gone/away'), home)).toBe('away')
    expect(await projectName(home, home)).toBe('home')
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
