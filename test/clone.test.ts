import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { shellLinesOf } from './examples/_shell-page.ts'
import { makeFolder } from './support/folder.ts'
import { root } from './support/home.ts'

const ADDRESS = 'https://example.com/hookbell.git'

/** The tests have their own home and npm cache. This environment has the real ones, in which git and npm are set up. */
const { npm_config_cache: _, HOOKBELL_TEST_CA_FILE: authorities, ...others } = process.env
const usual = { ...others, HOME: userInfo().homedir, NODE_EXTRA_CA_CERTS: authorities }

/** The reason why a clone cannot be created and installed here, or ''. */
function whyNot(): string {
  if (process.platform === 'win32') return 'the lines are for a shell'
  const git = ['-C', root, 'rev-parse', 'HEAD']
  if (spawnSync('git', git, { env: usual }).status !== 0) return 'this is no clone'
  const ping = ['ping', '--fetch-retries=0', '--fetch-timeout=60000']
  return spawnSync('npm', ping, { env: usual }).status === 0 ? '' : 'npm reaches no registry'
}

const reason = whyNot()

function isCommitted(): boolean {
  const git = ['-C', root, 'status', '--porcelain']
  return spawnSync('git', git, { env: usual, encoding: 'utf8' }).stdout === ''
}

/** The home of a user with git, npm and the npm cache of this machine. */
async function makePerson() {
  const home = await makeFolder()
  const npm = (word: string) =>
    execa('npm', ['config', 'get', word], { env: usual, extendEnv: false })
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    NODE_EXTRA_CA_CERTS: authorities,
    XDG_RUNTIME_DIR: join(home, '.run'),
    // Git must accept this repository, even if another user owns it.
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_CONFIG_KEY_1: `url.${pathToFileURL(root)}.insteadOf`,
    GIT_CONFIG_VALUE_1: ADDRESS,
    npm_config_userconfig: (await npm('userconfig')).stdout,
    npm_config_cache: (await npm('cache')).stdout,
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  mkdirSync(join(home, '.factory'))
  // umask 002 is the default where each user has a private group.
  const type = (line: string, cwd: string) =>
    execa('sh', ['-c', `umask 002\n${line}`], {
      cwd,
      env,
      extendEnv: false,
      reject: false,
      all: true,
    })
  return { home, type }
}

describe('a clone', () => {
  it.skipIf(reason !== '')(
    `installs and runs with the commands of the README${reason && ` (${reason})`}`,
    async () => {
      const { home, type } = await makePerson()
      const clone = join(home, 'hookbell')
      const run = async (line: string, cwd = clone) => {
        const { all, stdout, exitCode } = await type(line, cwd)
        expect(exitCode, `${line}\n${all}`).toBe(0)
        return stdout
      }
      const lines = shellLinesOf('README.md').slice(0, 4)
      expect(lines).toEqual([
        'npm ci && npm start',
        'npm run build && npm install --global --prefix ~/.local .',
        'export PATH="$HOME/.local/bin:$PATH"',
        'hookbell init',
      ])
      const [start = '', install = '', path = ''] = lines
      await run(`git clone ${ADDRESS} && cd hookbell`, home)
      const said = await run(start)
      const next = said.trimEnd().split('\n').at(-1)?.trim()
      expect(next).toBe('node bin/hookbell init')
      await run(`${next} --client droid --yes`)
      expect(existsSync(join(home, '.local/state/hookbell/hookbell-hook'))).toBe(true)

      await run(install)
      // Where no shell finds it, init says what to do.
      const unfound = await run(`node ${clone}/bin/hookbell init --client droid --yes`)
      expect(unfound).toContain(`put ${join(home, '.local/bin')} on your PATH`)
      // The front door starts no worker that a group can write.
      expect(await run('find dist -perm -020')).toBe('')
      const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))
      expect(await run(`${path}\nhookbell --version`, home)).toBe(version)
      // The same source gives the same programs. Uncommitted changes are not in the clone, so it may differ then.
      const programs = [
        'cli-code.cjs',
        'commands.cjs',
        'api-commands.cjs',
        'worker-code.cjs',
        'index.js',
      ]
      const read = (folder: string, name: string) => readFileSync(join(folder, 'dist', name))
      const others = programs.filter((name) => !read(clone, name).equals(read(root, name)))
      if (isCommitted()) expect(others).toEqual([])
      await run(`${path}\nhookbell uninstall --yes`, home)
    },
  )
})
