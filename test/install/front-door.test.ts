import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configDir, fallbackStateDir } from '../../src/config/paths.ts'
import { pinnedPath } from '../../src/config/pinned.ts'
import { homeDir } from '../../src/fs/home.ts'
import { compileWorker, installFrontDoor } from '../../src/install/front-door.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome, root } from '../support/home.ts'

const STRANGER = 54321
const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0
const hasStrace = spawnSync('strace', ['-V']).status === 0

describe('installFrontDoor', () => {
  it.skipIf(!hasStrace)(
    'leaves an executable front door if it is killed right after it put the new one in place',
    async () => {
      const home = await makeHome()
      const door = join(home.state, 'hookbell-hook')
      const log = join(home.home, 'calls')
      const init = ['init', '--client', 'droid', '--yes']
      // Without -f: Node.js makes the synchronous calls in its first thread.
      const renew = (...options: string[]) => {
        const words = ['-qq', '-o', log, '-e', 'trace=rename,fsync', ...options, process.execPath]
        return spawnSync('strace', [...words, join(root, 'bin/hookbell'), ...init], {
          env: home.env,
          cwd: home.project,
        })
      }
      expect(await home.run(...init)).toMatchObject({ exitCode: 0 })
      expect(renew().status).toBe(0)
      const before = statSync(door).ino
      const calls = readFileSync(log, 'utf8').split('\n')
      const placed = calls.findIndex(
        (call) => call.startsWith('rename') && call.includes(`"${door}"`),
      )
      expect(placed).toBeGreaterThan(-1)
      // The next fsync is that of the folder.
      const next = calls.slice(0, placed).filter((call) => call.startsWith('fsync')).length + 1
      expect(renew('-e', `inject=fsync:signal=KILL:when=${next}`).signal).toBe('SIGKILL')
      expect(statSync(door).ino).not.toBe(before)
      expect(statSync(door).mode & 0o777).toBe(0o700)
    },
  )

  it.skipIf(!canMount)('registers nothing if the state folder is on a noexec mount', async () => {
    const home = await makeHome()
    const elsewhere = await makeFolder()
    const settings = join(home.home, '.factory/settings.json')
    mkdirSync(home.state, { recursive: true, mode: 0o700 })
    const init = (stateDir: string) => {
      const script = 'mount -t tmpfs -o noexec,mode=700 x "$1" && shift && exec "$@"'
      const program = [process.execPath, join(root, 'bin/hookbell'), 'init', '--client', 'droid']
      const words = ['--mount', 'sh', '-c', script, 'sh', home.state, ...program, '--yes']
      const env = { ...home.env, HOOKBELL_STATE_DIR: stateDir }
      return spawnSync('unshare', words, { env, cwd: home.project, encoding: 'utf8' })
    }
    const refused = init(home.state)
    expect(refused.stderr).toMatch(/no program can be started.*\n.*set HOOKBELL_STATE_DIR to/)
    expect([refused.status, existsSync(settings)]).toEqual([1, false])
    expect(init(elsewhere)).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(settings, 'utf8')).toContain(join(elsewhere, 'hookbell-hook'))
  })

  it('pins the language and the time zone of the shell, but not those of a session of an agent', async () => {
    const home = await makeHome()
    const pinned = async (env: Record<string, string>) => {
      Object.assign(home.env, { CLAUDECODE: '', LANG: '', TZ: '', ...env })
      await home.run('init', '--client', 'droid', '--yes')
      return JSON.parse(readFileSync(pinnedPath(home.state), 'utf8')).locale
    }
    const evil = { CLAUDECODE: '1', LANG: 'tr_TR.UTF-8', TZ: 'Etc/GMT-10' }
    expect(await pinned(evil)).toEqual({})
    const own = { LANG: 'de_DE.UTF-8', TZ: 'Europe/Berlin' }
    expect(await pinned(own)).toEqual(own)
    expect(await pinned(evil)).toEqual(own)
    expect(await pinned({ TZ: '/evil' })).toEqual({})
  })

  it('writes files that only this user can change, whatever the umask is', async () => {
    const mask = process.umask(0)
    onTestFinished(() => void process.umask(mask))
    const stateDir = join(await makeFolder(), 'state')
    mkdirSync(stateDir)
    await installFrontDoor({ stateDir })
    const names = ['.', ...readdirSync(stateDir, { recursive: true, encoding: 'utf8' })]
    const modes = names.map((name) => [name, statSync(join(stateDir, name)).mode & 0o022])
    expect(modes.length).toBeGreaterThan(20)
    expect(modes.filter(([, mode]) => mode !== 0)).toEqual([])
  })

  it('quotes the paths of its folders and of Node.js, whatever their names are', async () => {
    const stateDir = join(await makeFolder(), "it's $& `x`")
    const { path } = await installFrontDoor({ stateDir })
    const [line] = /^state=.*$/m.exec(readFileSync(path, 'utf8')) ?? []
    const print = `printf '%s\n' "$state" "$config" "$fallback" "$home" "$node" "$worker"`
    const shown = execFileSync('sh', ['-c', `${line}; ${print}`], { encoding: 'utf8' })
    expect(shown.trimEnd().split('\n')).toEqual([
      ...[stateDir, configDir(), fallbackStateDir(stateDir), homeDir(), process.execPath],
      join(stateDir, 'runtime/dist/worker.cjs'),
    ])
  })

  it.runIf(process.getuid?.() === 0)(
    'installs from a package whose code caches only their owner may read',
    async () => {
      const folder = await makeFolder()
      const [home, shared] = [join(folder, 'home'), join(folder, 'package')]
      for (const part of ['bin', 'dist', 'templates', 'package.json']) {
        cpSync(join(root, part), join(shared, part), { recursive: true })
      }
      symlinkSync(join(root, 'node_modules'), join(shared, 'node_modules'))
      for (const path of [folder, home]) mkdirSync(path, { recursive: true, mode: 0o755 })
      chmodSync(folder, 0o755)
      chownSync(home, STRANGER, STRANGER)
      const caches = ['dist/worker-code.cache', 'dist/packages/zod.cache']
      // The second one is still being written.
      for (const path of [...caches, `${caches[1]}.new`])
        writeFileSync(join(shared, path), '', { mode: 0o600 })
      const words = [join(shared, 'bin/hookbell'), 'init', '--client', 'claude', '--yes']
      const { stderr, status } = spawnSync(process.execPath, words, {
        ...{ uid: STRANGER, gid: STRANGER, encoding: 'utf8', cwd: home },
        env: { HOME: home, PATH: process.env.PATH },
      })
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
      const runtime = join(home, '.local/state/hookbell/runtime')
      expect(readdirSync(join(runtime, 'dist'))).toContain('worker-code.cache')
      expect(readdirSync(join(runtime, 'dist/packages'))).not.toContain('zod.cache.new')
    },
  )

  it('refuses a state folder that is a link', async () => {
    const folder = await makeFolder()
    const stateDir = join(folder, 'state')
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync('elsewhere', stateDir)
    await expect(installFrontDoor({ stateDir })).rejects.toThrow(
      /state: not a folder of this user$/,
    )
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
  })

  it('can be called by several `init` at the same time', async () => {
    const home = await makeHome()
    const names = ['claude', 'codex', 'cursor', 'droid', 'gemini', 'qwen']
    const runs = names.map((name) => home.runAlone('init', '--client', name, '--yes'))
    for (const run of await Promise.all(runs))
      expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    const places: { client: string }[] = JSON.parse(home.read('state/places.json'))
    expect(places.map(({ client }) => client).sort()).toEqual(names)
    const left = readdirSync(home.state).filter((name) => /lock|runtime\./.test(name))
    expect(left).toEqual([])
  })

  it.skipIf(!canMount)('replaces a copy that cannot be removed completely', async () => {
    const home = await makeHome()
    const script = `mkdir -p state/runtime/dist && chmod -R 700 state
      mount -t tmpfs x state/runtime/dist && exec "$@" init --client claude --yes`
    const words = ['-m', 'sh', '-c', script, 'sh', process.execPath, join(root, 'bin/hookbell')]
    const run = spawnSync('unshare', words, { env: home.env, cwd: home.home, encoding: 'utf8' })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(join(home.state, 'runtime/dist'))).toContain('worker.cjs')
  })

  it('replaces a link to nothing in the place of the copy', async () => {
    const stateDir = join(await makeFolder(), 'state')
    mkdirSync(stateDir, { mode: 0o700 })
    symlinkSync('nowhere', join(stateDir, 'runtime'))
    await installFrontDoor({ stateDir })
    expect(readdirSync(join(stateDir, 'runtime'))).toContain('dist')
    expect(readdirSync(stateDir).filter((name) => name.startsWith('runtime.'))).toEqual([])
  })

  it('says what to do if a folder is in the place of the front door', async () => {
    const stateDir = join(await makeFolder(), 'state')
    mkdirSync(join(stateDir, 'hookbell-hook'), { recursive: true, mode: 0o700 })
    const hint = 'Move that folder away'
    await expect(installFrontDoor({ stateDir })).rejects.toMatchObject({ hint })
  })

  it('replaces a copy whose installation was interrupted', async () => {
    const stateDir = join(await makeFolder(), 'state')
    for (const name of [
      'runtime',
      'runtime.old',
      'runtime.1',
      'runtime.1.old',
      `runtime.${process.pid}`,
    ]) {
      mkdirSync(join(stateDir, name), { recursive: true, mode: 0o700 })
      writeFileSync(join(stateDir, name, 'left'), '')
    }
    await installFrontDoor({ stateDir })
    expect(readdirSync(stateDir).filter((name) => name.startsWith('runtime'))).toEqual(['runtime'])
    expect(readdirSync(join(stateDir, 'runtime')).sort()).toEqual([
      'bin',
      'dist',
      'icons',
      'package.json',
      'pinned.json',
      'templates',
    ])
  })
})

// A path such as /dev/null would be a real file on Windows.
it('the rehearsal writes only below the private copy, and removes what it wrote', async () => {
  const runtime = await makeFolder()
  mkdirSync(join(runtime, 'dist'))
  writeFileSync(join(runtime, 'dist/worker-code.cjs'), '')
  writeFileSync(
    join(runtime, 'dist/worker.cjs'),
    `const { copyFileSync } = require('node:fs')
copyFileSync(process.env.HOOKBELL_CONFIG_DIR + '/config.json', __dirname + '/config.json')`,
  )
  await compileWorker(runtime, process.execPath)
  const { channels } = JSON.parse(readFileSync(join(runtime, 'dist/config.json'), 'utf8'))
  expect(channels.file.path).toBe(join(runtime, 'rehearsal/events.jsonl'))
  expect(existsSync(join(runtime, 'rehearsal'))).toBe(false)
})
