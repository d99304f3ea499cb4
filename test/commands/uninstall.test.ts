import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientNames, findClient } from '../../src/clients/index.ts'
import { lockHolder } from '../../src/spool/lock/lock.ts'
import { runHook } from '../support/fake-agent.ts'
import { makeFolder } from '../support/folder.ts'
import { type Home, makeHome, root } from '../support/home.ts'
import { runCommand } from '../support/run-command.ts'
import { isFull } from '../support/runs.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { hasStrace } from '../support/system-calls.ts'

const theirs = { type: 'command', command: 'say done' }
const group = [{ hooks: [theirs] }]

/** Settings as users of the clients have them. */
const settings: Record<string, string> = {
  '.kimi-code/config.toml':
    '# mine\r\nyolo = true\r\n\r\n[[hooks]]\r\nevent = "Stop"\r\ncommand = "beep"',
  '.claude/settings.json': '{\n\t"model": "opus", // best\n\t"hooks": {"Stop": []}\n}\n',
  '.codex/hooks.json': JSON.stringify({ hooks: { Stop: group } }),
  '.cursor/hooks.json': JSON.stringify(
    { version: 1, hooks: { stop: [{ command: 'say' }] } },
    null,
    4,
  ),
  '.factory/hooks.json': JSON.stringify({ Stop: group }, null, 2),
  '.factory/settings.json': JSON.stringify({ hooks: { SessionEnd: group } }),
  '.gemini/settings.json': '{"hooks": {"disabled": ["x"]}}',
}

function write(home: Home, files = settings) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home.home, name)), { recursive: true })
    writeFileSync(join(home.home, name), text)
  }
}

/** The content of every file under the folders. */
function contents(folder: string, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const top = join(folder, name)
    if (!existsSync(top)) continue
    for (const entry of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
      const path = join(top, entry)
      found[join(name, entry)] = statSync(path).isDirectory() ? '' : readFileSync(path, 'utf8')
    }
  }
  return found
}

const homes = [
  '.claude',
  '.codex',
  '.copilot',
  '.cursor',
  '.factory',
  '.gemini',
  '.kimi-code',
  '.config',
  '.qwen',
]
const config = { channels: { audit: { type: 'file', path: '~/audit.jsonl' } }, routes: [] }

describe('hookbell uninstall, after init for every client', () => {
  it('restores the same bytes and stops every part of hookbell', async () => {
    const home = await makeHome(config)
    write(home)
    const before = contents(home.home, homes)
    const init = await home.run('init', '--client', clientNames.join(','), '--yes', '--json')
    expect(init).toMatchObject({ exitCode: 0 })
    const { places } = JSON.parse(init.stdout)
    // droid has two files.
    const expected = clientNames.flatMap((name) => (name === 'droid' ? [name, name] : [name]))
    expect(places.map(({ client }: { client: string }) => client)).toEqual(expected)
    const installed = contents(home.home, homes)
    expect(await home.run('init', '--client', clientNames.join(','), '--yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.not.stringContaining('Wrote'),
    })
    expect(contents(home.home, homes)).toEqual(installed)
    for (const { client, command } of places) {
      if (findClient(client)?.entries === 'plugin') continue
      const { sawEnd, ...run } = await runHook(command, {
        env: home.env,
        input: '{"hook_event_name":"Stop"}',
        stdio: 'pipes',
      })
      await sawEnd
      expect(run).toEqual({ code: 0, signal: null, output: '' })
    }
    await expect.poll(() => lockHolder(home.state)).toBeDefined()

    const gone = await home.run('uninstall', '--yes', '--json')
    expect(gone).toMatchObject({ exitCode: 0, stderr: '' })
    expect(contents(home.home, homes)).toEqual(before)
    expect(lockHolder(home.state)).toBe(undefined)
    expect(existsSync(join(home.state, 'hookbell-hook'))).toBe(false)
    expect(existsSync(join(home.state, 'runtime'))).toBe(false)
    // A running session that has read its hooks earlier still calls the front door.
    for (const { command } of places.slice(0, 5)) {
      const { sawEnd, ...run } = await runHook(command, { env: home.env, input: '{}' })
      await sawEnd
      expect(run).toEqual({ code: 0, signal: null, output: '' })
    }
    expect(await home.run('uninstall', '--yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^No hook of hookbell is registered here\./),
    })
  })

  it.each([
    ['the home was renamed', []],
    [
      'the home was renamed and init was run again',
      [['init', '--client', clientNames.join(','), '--yes']],
    ],
  ])('restores the same bytes after %s', async (_, commands) => {
    const home = await makeHome(config)
    write(home)
    const before = contents(home.home, homes)
    await home.run('init', '--client', clientNames.join(','), '--yes')
    const moved = `${home.home}-moved`
    renameSync(home.home, moved)
    onTestFinished(() => renameSync(moved, home.home))
    const env = Object.fromEntries(
      Object.entries(home.env).map(([name, value]) => [name, value?.replace(home.home, moved)]),
    )
    for (const words of [...commands, ['uninstall', '--yes']]) {
      expect(await runCommand(words, { env, cwd: moved })).toMatchObject({ exitCode: 0 })
    }
    expect(contents(moved, homes)).toEqual(before)
    expect(readdirSync(join(moved, 'state/backups'))).toEqual([])
  })

  it('removes files that init made in linked folders, and leaves the folders and links', async () => {
    const home = await makeHome(config)
    mkdirSync(join(home.home, 'dotfiles/claude'), { recursive: true })
    symlinkSync('dotfiles/claude', join(home.home, '.claude'))
    symlinkSync(home.home, join(home.home, 'link'))
    const env = { ...home.env, HOME: join(home.home, 'link') }
    const run = (...words: string[]) =>
      execa(process.execPath, [join(root, 'bin/hookbell'), ...words], { env, reject: false })
    const init = await run('init', '--client', 'claude,gemini', '--yes')
    expect(init).toMatchObject({ exitCode: 0, stderr: '' })
    expect(home.read('dotfiles/claude/settings.json')).toContain('hookbell-hook')
    expect(home.read('.gemini/settings.json')).toContain('hookbell-hook')
    expect((await run('uninstall', '--yes')).stdout).toContain('because init created it')
    expect(contents(home.home, ['dotfiles', '.gemini'])).toEqual({ 'dotfiles/claude': '' })
    expect(readlinkSync(join(home.home, '.claude'))).toBe('dotfiles/claude')
    expect(readdirSync(join(home.state, 'backups'))).toEqual([])
  })

  it('does not edit a file outside of the repository to which a link in it leads', async () => {
    const home = await makeHome(config)
    const project = join(home.home, 'project')
    mkdirSync(join(project, '.git'), { recursive: true })
    const run = (...words: string[]) => runCommand(words, { env: home.env, cwd: project })
    await run('init', '--client', 'claude', '--project', '--yes')
    await run('init', '--client', 'claude', '--yes')
    const before = home.read('.claude/settings.json')
    rmSync(join(project, '.claude'), { recursive: true })
    symlinkSync('../.claude', join(project, '.claude'))
    const { exitCode, stdout } = await run('uninstall', '--project', '--yes')
    expect([exitCode, stdout]).toEqual([0, 'No hook of hookbell is registered here.'])
    expect(home.read('.claude/settings.json')).toBe(before)
    expect((await run('uninstall', '--yes')).stdout).toContain('because init created it')
    expect(contents(home.home, ['.claude'])).toEqual({})
  })

  it.skipIf(!hasStrace)('succeeds while an exiting worker writes its code cache', async () => {
    const home = await makeHome()
    await home.run('init', '--client', 'droid', '--yes')
    const runtime = join(home.state, 'runtime')
    // The first error occurs anyway, since the folder is not empty yet. The second one simulates a new file.
    const fault = ['-P', join(runtime, 'dist'), '-e', 'inject=rmdir:error=ENOTEMPTY:when=1..2']
    const words = ['-qq', '-o', join(home.home, 'calls'), '-e', 'trace=rmdir', ...fault]
    const uninstall = [process.execPath, join(root, 'bin/hookbell'), 'uninstall', '--yes']
    const { status, stderr } = spawnSync('strace', [...words, ...uninstall], {
      env: home.env,
      cwd: home.project,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(existsSync(runtime)).toBe(false)
  })

  it('keeps the later changes of others, and can uninstall a single client', async () => {
    const home = await makeHome(config)
    write(home)
    await home.run('init', '--client', 'claude,codex', '--yes')
    const path = join(home.home, '.codex/hooks.json')
    const value = JSON.parse(readFileSync(path, 'utf8'))
    value.hooks.Stop.push({ hooks: [{ type: 'command', command: 'later' }] })
    writeFileSync(path, JSON.stringify(value, null, 2))
    const dry = await home.run('uninstall', '--client', 'codex', '--dry-run')
    expect(dry.stdout).toMatch(/^--- [\s\S]*\nNothing was written\.$/)
    const part = await home.run('uninstall', '--client', 'codex', '--yes')
    expect(part.stdout).toMatch(/Removed our hooks from .*\.codex\/hooks\.json/)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      hooks: { Stop: [...group, { hooks: [{ type: 'command', command: 'later' }] }] },
    })
    expect(home.read('.claude/settings.json')).toContain('hookbell-hook')
    expect(existsSync(join(home.state, 'hookbell-hook'))).toBe(true)
  })

  it('can uninstall several clients', async () => {
    const home = await makeHome(config)
    write(home)
    await home.run('init', '--client', 'claude, codex,gemini,', '--yes')
    const { exitCode } = await home.run('uninstall', '--client', 'claude,gemini', '--yes')
    expect(exitCode).toBe(0)
    for (const name of ['.claude/settings.json', '.gemini/settings.json'])
      expect(home.read(name)).toBe(settings[name])
    expect(home.read('.codex/hooks.json')).toContain('hookbell-hook')
  })

  it('names a file that it cannot edit, cleans the others, and exits with 1', async () => {
    const home = await makeHome(config)
    write(home)
    await home.run('init', '--client', 'claude,codex', '--yes')
    writeFileSync(join(home.home, '.codex/hooks.json'), '{"hooks": "hookbell-hook"}')
    const result = await home.run('uninstall', '--yes')
    expect(result.exitCode).toBe(1)
    expect(result.stdout).toContain('.codex/hooks.json:1:11: "hooks" is a string')
    expect(home.read('.claude/settings.json')).toBe(settings['.claude/settings.json'])
    expect(existsSync(join(home.state, 'hookbell-hook'))).toBe(true)
    const again = await home.run('uninstall', '--yes')
    expect(again.stdout).toMatch(
      /^x .+\/\.codex\/hooks\.json:1:11: "hooks" is a string.*\n {2}Correct that, then run the command again$/m,
    )
  })

  it('works on a partly deleted installation, and --purge reports the undelivered events', async () => {
    const home = await makeHome(config)
    write(home)
    await home.run('init', '--client', 'claude', '--yes')
    home.accept({ hook_event_name: 'Stop' }, 'claude')
    for (const name of ['runtime', 'hookbell-hook', 'backups', 'places.json'])
      rmSync(join(home.state, name), { recursive: true })
    writeFileSync(join(home.env.HOOKBELL_CONFIG_DIR, 'notes.txt'), 'mine')
    const { stdout, exitCode } = await home.run('uninstall', '--yes', '--purge')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Undelivered, and lost with --purge: 1$/m)
    expect(stdout).toMatch(/^Not ours, left: .*notes\.txt$/m)
    expect(home.read('.claude/settings.json')).not.toContain('hookbell')
    expect(existsSync(home.state)).toBe(false)
    expect(readdirSync(home.env.HOOKBELL_CONFIG_DIR)).toEqual(['notes.txt'])
  })

  it('--purge removes a damaged state folder, whose events cannot be counted', async () => {
    const home = await makeHome()
    mkdirSync(join(home.state, 'journal.jsonl'), { recursive: true, mode: 0o700 })
    mkdirSync(join(home.state, 'spool'))
    symlinkSync('cur', join(home.state, 'spool/cur'))
    const { stdout, stderr, exitCode } = await home.run('uninstall', '--yes', '--purge')
    expect(stdout).toMatch(/^Undelivered, and lost with --purge: events that cannot be counted$/m)
    expect([stderr, exitCode]).toEqual(['', 0])
    expect(existsSync(home.state)).toBe(false)
  })

  it('--dry-run --purge names what is lost, and removes nothing', async () => {
    const home = await makeHome(config)
    const folder = home.env.HOOKBELL_CONFIG_DIR
    const secrets = join(folder, 'secrets.env')
    writeFileSync(secrets, 'TOKEN=x\n', { mode: 0o600 })
    home.accept({ hook_event_name: 'Stop' }, 'claude')
    const lost = [join(folder, 'config.json'), secrets, home.state]
    const words = ['uninstall', '--dry-run', '--purge']
    const { stdout } = await home.run(...words)
    expect(stdout.split('\n')).toEqual([
      'No hook of hookbell is registered here.',
      'Undelivered, and lost with --purge: 1',
      ...lost.map((path) => `Lost with --purge: ${path}`),
      '',
      'Nothing was written.',
    ])
    expect(JSON.parse((await home.run(...words, '--json')).stdout)).toMatchObject({
      ...{ waiting: 1, lost, keychain: [] },
    })
    expect(lost.filter((path) => existsSync(path))).toEqual(lost)
    expect((await home.run('uninstall', '--dry-run')).stdout).not.toContain('Lost')
  })

  it('--purge removes every file of hookbell, also when init never ran', async () => {
    const home = await makeHome()
    writeFileSync(join(home.project, '.hookbell.json'), '{}')
    for (const words of [['mute', '1h'], ['hold'], ['trust', home.project]])
      await home.run(...words)
    // A folder that was changed in the last two seconds is not cached.
    const filesAfterStatus = async () => {
      await home.run('status')
      return readdirSync(home.state)
    }
    await expect
      .poll(filesAfterStatus)
      .toEqual(expect.arrayContaining(['cache', 'mutes.json', 'spool', 'trusted-projects.json']))
    for (const name of [
      'alarms.json',
      'own-channels.json',
      'shown.json',
      'digest-settled',
      'config-problem-told',
    ])
      writeFileSync(join(home.state, name), '{}')
    const { stdout, exitCode } = await home.run('uninstall', '--yes', '--purge')
    expect(stdout).toContain('No hook of hookbell is registered here.')
    expect(stdout).not.toContain('Not ours')
    expect({ exitCode, isThere: existsSync(home.state) }).toEqual({ exitCode: 0, isThere: false })
    expect(await home.run('uninstall', '--yes', '--purge')).toMatchObject({
      exitCode: 0,
      stdout: 'No hook of hookbell is registered here.\nNothing else was left',
    })
  })

  it('--purge empties a folder that is a link, and leaves the link', async () => {
    const home = await makeHome(config)
    const own = join(home.home, 'dotfiles')
    renameSync(home.env.HOOKBELL_CONFIG_DIR, own)
    symlinkSync('dotfiles', home.env.HOOKBELL_CONFIG_DIR)
    expect(await home.run('uninstall', '--yes', '--purge')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Removed: configuration'),
    })
    expect(readdirSync(own)).toEqual([])
    expect(readlinkSync(home.env.HOOKBELL_CONFIG_DIR)).toBe('dotfiles')
  })

  it('finds the project that init wrote to, in whichever folder it is run', async () => {
    const home = await makeHome(config)
    await home.run('init', '--client', 'droid', '--project', '--yes')
    const path = join(home.project, '.factory/settings.json')
    expect(readFileSync(path, 'utf8')).not.toContain(home.home)
    const words = [join(root, 'bin/hookbell'), 'uninstall', '--project', '--yes']
    expect(spawnSync(process.execPath, words, { env: home.env, cwd: home.home }).status).toBe(0)
    expect(existsSync(path)).toBe(false)
    expect(existsSync(dirname(path))).toBe(false)
  })

  it('forgets a place whose hooks somebody removed, but not one in an unavailable project', async () => {
    const home = await makeHome(config)
    await home.run('init', '--client', 'droid,claude', '--yes')
    await home.run('init', '--client', 'droid,claude', '--project', '--yes')
    const places = () =>
      JSON.parse(readFileSync(join(home.state, 'places.json'), 'utf8')).map(
        ({ path }: { path: string }) => path,
      )
    const user = join(home.home, '.factory/settings.json')
    const own = join(home.project, '.factory/settings.json')
    writeFileSync(user, '{}')
    rmSync(own)
    expect(places()).toHaveLength(4)
    expect((await home.run('uninstall', '--client', 'claude', '--dry-run')).exitCode).toBe(0)
    expect(places()).toHaveLength(4)
    await home.run('uninstall', '--client', 'claude', '--yes')
    expect(places()).toEqual([user, own])
    const away = join(home.home, 'elsewhere')
    renameSync(home.project, away)
    const words = [join(root, 'bin/hookbell'), 'uninstall', '--client', 'droid', '--yes']
    expect(spawnSync(process.execPath, words, { env: home.env, cwd: home.home }).status).toBe(0)
    expect(places()).toEqual([own])
    renameSync(away, home.project)
    await home.run('uninstall', '--yes')
    expect(places()).toEqual([])
  })

  it.each([
    [['--client', 'foo', '--yes'], 'x unknown client "foo"'],
    [
      ['--all', '--user', '--yes'],
      'x --all removes hookbell everywhere and takes no other selection',
    ],
    [['--purge', '--client', 'droid', '--yes'], 'x --purge removes everything'],
    [['--json'], '{"error":{"code":"E_USAGE","message":"uninstall asks before it writes"'],
  ])('rejects %j', async (words, message) => {
    const home = await makeHome(config)
    const result = await home.run('uninstall', ...words)
    expect(result.exitCode).toBe(64)
    expect(result.stderr.startsWith(message)).toBe(true)
  })
})

/** The system calls with which Node.js changes files. */
const CALLS =
  'write,pwrite64,fsync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,ftruncate,fchmod'
/** Every STEP-th of these calls is tested; with HOOKBELL_FULL all of them. */
const STEP = isFull ? 1 : 23

describe.skipIf(!hasStrace)('hookbell uninstall that is killed', () => {
  it('loses nothing, at whichever system call it is killed, and the next run removes the rest', async () => {
    const home = await makeHome(config)
    write(home)
    const found = () => contents(home.home, homes)
    const before = found()
    await home.run('init', '--client', clientNames.join(','), '--yes')
    const installed = found()
    const folder = await makeFolder()
    const log = join(folder, 'calls')
    const copy = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to])
    copy(home.home, join(folder, 'kept'))
    const uninstall = (...options: string[]) => {
      for (const name of readdirSync(home.home)) rmSync(join(home.home, name), { recursive: true })
      copy(join(folder, 'kept'), home.home)
      // Without -f: Node.js makes the synchronous calls in its first thread.
      const words = ['-qq', '-o', log, '-e', `trace=${CALLS}`, ...options, process.execPath]
      return spawnSync('strace', [...words, join(root, 'bin/hookbell'), 'uninstall', '--yes'], {
        env: home.env,
        cwd: '/',
      })
    }
    expect(uninstall().status).toBe(0)
    const counts = new Map<string, number>()
    const calls = [...readFileSync(log, 'utf8').matchAll(/^(\w+)\(/gm)].map(([, name = '']) => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return { name, nth: counts.get(name) }
    })
    expect(calls.length).toBeGreaterThan(100)
    for (const { name, nth } of calls.filter((_, at) => at % STEP === 0)) {
      const { signal } = uninstall('-e', `inject=${name}:signal=KILL:when=${nth}`)
      const killed = Object.entries(found()).filter(([path]) => !path.includes('.hookbell-'))
      for (const [path, text] of killed) expect([before[path], installed[path]]).toContain(text)
      expect(await home.run('uninstall', '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
      expect({ name, nth, signal, found: found() }).toEqual({ name, nth, signal, found: before })
      expect(readdirSync(join(home.state, 'backups'))).toEqual([])
      expect(home.read('state/places.json')).toBe('[]\n')
    }
  })
})

describe('the plug-in for opencode', () => {
  it('passes events to the front door with the parent session', async () => {
    const home = await makeHome(config)
    await home.run('init', '--client', 'opencode', '--yes', '--events', 'session.idle')
    const door = join(home.home, 'door')
    const plugin = join(home.home, 'plugin.mjs')
    const text = home.read('.config/opencode/plugin/hookbell.js')
    expect(text).toContain(JSON.stringify(join(home.state, 'hookbell-hook')))
    writeFileSync(plugin, text.replace(join(home.state, 'hookbell-hook'), door))
    writeFileSync(door, `#!/bin/sh\ncat >> ${shellQuote(`${home.home}/told`)}\n`, { mode: 0o755 })
    const script = `
      import { Hookbell } from ${JSON.stringify(pathToFileURL(plugin).href)}
      const { event } = await Hookbell({ directory: '/repo' })
      const info = { id: 'child', parentID: 'main' }
      await event({ event: { type: 'session.created', properties: { info } } })
      await event({ event: { type: 'session.idle', properties: { sessionID: 'child' } } })
      await event({ event: {} })
      await event({})`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'inherit',
    })
    expect(await once(child, 'close')).toEqual([0, null])
    await expect.poll(() => existsSync(join(home.home, 'told')) && home.read('told')).toMatch(/}$/)
    expect(JSON.parse(home.read('told'))).toEqual({
      hook_event_name: 'session.idle',
      cwd: '/repo',
      parentID: 'main',
      sessionID: 'child',
    })
  })
})

const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0

it.skipIf(!canMount)('uninstall lists what it removed although the rest fails', async () => {
  const home = await makeHome()
  const { stdout, stderr, exitCode } = await runInMounts(
    home,
    `mkdir config/templates; mount -t tmpfs -o mode=700 x config/templates
      "$@" init --client claude --yes >init; exec "$@" uninstall --purge --yes`,
  )
  expect(stdout).toContain('Removed, because init created it:')
  expect(stderr).toMatch(/EBUSY.*config\/templates/)
  expect(exitCode).toBe(74)
})

describe.skipIf(!canMount)('uninstall on a system without /proc', () => {
  const hidden = 'mount -t tmpfs x /proc;'

  it('ends a waiting worker', async () => {
    const channels = { log: { type: 'file', path: '/dev/null' } }
    const home = await makeHome({ channels, lingerSeconds: 600 })
    const script = `${hidden} "$@" init --client claude --yes; echo '{"hook_event_name":"Stop"}' | state/hookbell-hook --client claude
      until [ -e state/worker.lock ]; do sleep 0.1; done; "$@" uninstall --yes; [ -e state/worker.lock ] || echo ended`
    expect((await runInMounts(home, script)).stdout).toMatch(/ended$/)
  })

  it('does not end another process that has the process id of a dead worker', async () => {
    const home = await makeHome()
    mkdirSync(home.state, { recursive: true, mode: 0o700 })
    const script = `${hidden} sleep 600 & echo "$! - - $(uname -n) 0.1.0" >state/worker.lock
      "$@" uninstall --yes; kill "$!" && echo spared`
    const { stdout } = await runInMounts(home, script)
    expect(stdout).toMatch(/A worker still runs[\s\S]*spared$/)
  })
})

function runInMounts({ home, env }: Home, script: string) {
  const program = [process.execPath, join(root, 'bin/hookbell')]
  const words = ['-m', 'sh', '-c', script, 'uninstall', ...program]
  return execa('unshare', words, { cwd: home, env, extendEnv: false, reject: false })
}
