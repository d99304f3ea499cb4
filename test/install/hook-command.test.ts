import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import {
  doorIn,
  hookCommand,
  hookEntry,
  isHookCommand,
  sharedHookCommand,
} from '../../src/install/hook-command.ts'
import { makeHome } from './make-home.ts'

const shells = ['dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

/** Runs a program that cannot start another process. */
const limited = ['setpriv', '--reuid=54321', '--clear-groups', 'prlimit', '--nproc=1']
const canLimit =
  process.getuid?.() === 0 &&
  spawnSync(limited[0] ?? '', [...limited.slice(1), 'true']).status === 0

const oddNames = [
  'plain',
  'with space',
  "it's",
  "'",
  'a"b',
  "it's $HOME",
  '`id`',
  '$(id)',
  'a;b&c|d',
  'back\\slash',
  'new\nline',
  'ключ 🔔',
  '-n',
  '*?[a]',
  '!history',
]

function run(shell: string, command: string | string[], env: NodeJS.ProcessEnv = process.env) {
  const words = typeof command === 'string' ? ['-c', command] : command
  const { status, stdout, stderr } = spawnSync(shell, words, {
    input: '{}',
    encoding: 'utf8',
    // Without SHLVL, bash takes a socket for a remote login and reads ~/.bashrc.
    env: { SHLVL: '1', ...env },
  })
  return { status, output: stdout + stderr }
}

function makeDoor(script: string, name = 'state'): string {
  const folder = join(makeHome(), name)
  mkdirSync(folder)
  const path = join(folder, 'hookbell-hook')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

const silence = { status: 0, output: '' }

describe.each(shells)('hook command under %s', (shell) => {
  it('is silent and succeeds when the front door is missing', () => {
    expect(run(shell, hookCommand('/nowhere/hookbell-hook', 'droid'))).toEqual(silence)
    expect(run(shell, hookCommand('/nowhere/hookbell-hook', 'droid'), {})).toEqual(silence)
  })

  it.each([
    ['prints output and fails', 'echo out; echo err >&2; exit 1'],
    ['exits 2, which would block the agent', 'exit 2'],
    ['is killed', 'kill -KILL $$'],
    ['is terminated', 'kill -TERM $$'],
    ['aborts', 'kill -ABRT $$'],
    ['is not a program', ')('],
  ])('is silent and succeeds when the front door %s', (_, script) => {
    expect(run(shell, hookCommand(makeDoor(script), 'droid'))).toEqual(silence)
  })

  // bash would retry for 15 s.
  it.skipIf(shell === 'bash' || !canLimit).each(['droid', 'cursor'] as const)(
    'succeeds when no process can be started for the front door: %s',
    (client) => {
      const [program = '', ...words] = limited
      const command = hookCommand(makeDoor('exit 0'), client)
      // The command for Cursor is a simple one. With `exec`, the shell becomes it without starting a process.
      const line = client === 'cursor' ? `exec ${command}` : command
      expect(spawnSync(program, [...words, shell, '-c', line]).status).toBe(0)
    },
  )

  // bash reads ~/.bash_logout if a login shell ends with `exit`. Codex may run a hook in a login shell.
  it('does not make a login shell run ~/.bash_logout', () => {
    const HOME = makeHome()
    writeFileSync(join(HOME, '.bash_logout'), 'echo bye')
    const command = hookCommand(makeDoor('exit 2'), 'codex')
    expect(run(shell, ['-lc', command], { HOME, PATH: process.env.PATH })).toEqual(silence)
  })

  it('does not change the exit code of a line that contains it', () => {
    const command = hookCommand(makeDoor('exit 0'), 'droid')
    expect(run(shell, `${command}; exit 3`).status).toBe(3)
    expect(run(shell, `${command}; false`).status).toBe(1)
  })

  it.each([undefined, '', '/nowhere', 'relative'])(
    'runs the front door with the PATH %j',
    (PATH) => {
      const door = makeDoor('echo > "${0%/*}/ran"')
      const got = join(door, '../ran')
      for (const client of ['droid', 'cursor'] as const) {
        expect(run(`/bin/${shell}`, hookCommand(door, client), { PATH })).toEqual(silence)
        expect(existsSync(got)).toBe(true)
        rmSync(got)
      }
    },
  )

  it('is silent when the front door is not executable', () => {
    const door = makeDoor('exit 0')
    chmodSync(door, 0o644)
    expect(run(shell, hookCommand(door, 'droid'))).toEqual(silence)
  })

  it.each(oddNames)('runs a front door in the folder %j', (name) => {
    const door = makeDoor(
      'printf "%s " "$@" > "$(dirname "$0")/args"; cat >> "$(dirname "$0")/args"',
      name,
    )
    const reader = spawnSync(shell, ['-c', hookCommand(door, 'claude')], { input: '{"a":1}' })
    expect(reader.status).toBe(0)
    const args = spawnSync('cat', [join(door, '../args')], { encoding: 'utf8' }).stdout
    expect(args).toBe('--client claude {"a":1}')
  })

  describe('with the payload appended as a here-document', () => {
    const appended = (command: string) => `${command} <<'END'\n{"a":1}\nEND\n`

    it('passes the payload to the front door as one simple command', () => {
      const door = makeDoor('cat > "$(dirname "$0")/got"', "it's here")
      const command = hookCommand(door, 'cursor')
      expect(run(shell, appended(command))).toEqual(silence)
      expect(spawnSync('cat', [join(door, '../got')], { encoding: 'utf8' }).stdout).toBe(
        '{"a":1}\n',
      )
      expect(command.replaceAll(/'[^']*'/g, '')).not.toMatch(/[;&|{}]/)
    })

    it.each(['/nowhere/hookbell-hook', makeDoor('echo x; exit 2'), makeDoor('kill -KILL $$')])(
      'is silent and succeeds whatever the front door does: %s',
      (door) => {
        expect(run(shell, appended(hookCommand(door, 'cursor')))).toEqual(silence)
        expect(run(shell, hookCommand(door, 'cursor'))).toEqual(silence)
        expect(
          run(shell, sharedHookCommand('cursor'), { HOME: '/nowhere', PATH: process.env.PATH }),
        ).toEqual(silence)
      },
    )
  })

  // Git Bash is one of the shells that run this form; PowerShell, the other one, is not on the test machines.
  describe('in the form for Windows', () => {
    const windows = { platform: 'win32' } as const

    it('passes the payload and the client to the front door', () => {
      const door = join(makeHome(), 'ä & b', 'hook.cjs')
      mkdirSync(join(door, '..'))
      const script = `const { readFileSync, writeFileSync } = require('node:fs')
writeFileSync(__filename + '.got', process.argv.slice(2, 4).join(' ') + readFileSync(0))`
      writeFileSync(door, script)
      expect(run(shell, hookCommand(door, 'claude', windows))).toEqual(silence)
      expect(readFileSync(`${door}.got`, 'utf8')).toBe('--client claude{}')
    })

    it('is silent and succeeds when the front door is missing', () => {
      expect(run(shell, hookCommand('/nowhere/hook.cjs', 'claude', windows))).toEqual(silence)
    })

    it('succeeds without Node.js', () => {
      const command = hookCommand('/nowhere/hook.cjs', 'claude', windows)
      expect(run(`/bin/${shell}`, command, { PATH: '/nowhere' }).status).toBe(0)
    })
  })

  describe('in the shared form for a project', () => {
    it('does nothing when hookbell is not installed', () => {
      expect(run(shell, sharedHookCommand('droid'), { HOME: '/nowhere' })).toEqual(silence)
      expect(run(shell, sharedHookCommand('droid'), {})).toEqual(silence)
    })

    it.each([
      ['HOOKBELL_STATE_DIR', ''],
      ['XDG_STATE_HOME', '/hookbell'],
      ['HOME', '/.local/state/hookbell'],
    ])('finds the front door through %s', (variable, below) => {
      const base = join(makeHome(), "it's a 'base'")
      const folder = base + below
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/hookbell-hook`, '#!/bin/sh\n/bin/cat > "$0.got"\n', { mode: 0o755 })
      expect(run(shell, sharedHookCommand('droid'), { [variable]: base })).toEqual(silence)
      const got = spawnSync('cat', [`${folder}/hookbell-hook.got`], { encoding: 'utf8' }).stdout
      expect(got).toBe('{}')
    })
  })
})

describe('hook command', () => {
  it('contains no user and no home in its shared form', () => {
    expect(sharedHookCommand('droid')).toMatchInlineSnapshot(
      `"{ trap 'exit 0' 0; "\${HOOKBELL_STATE_DIR:-\${XDG_STATE_HOME:-$HOME/.local/state}/hookbell}/hookbell-hook" --client droid --shared; trap - 0; } >/dev/null 2>&1 || :"`,
    )
  })

  it('has a timeout that every version of Qwen Code reads as milliseconds', () => {
    expect(hookEntry(clients.qwen, 'x').timeout).toBeGreaterThanOrEqual(1000)
  })

  it('has an explicit timeout in the unit of the client', () => {
    expect(hookEntry(clients.droid, 'x')).toEqual({ type: 'command', command: 'x', timeout: 10 })
    expect(hookEntry({ ...clients.droid, timeoutUnit: 'ms' }, 'x').timeout).toBe(10_000)
  })

  it('has a form for the Windows shell of each client', () => {
    const windows = { platform: 'win32', node: 'C:\\node.exe' } as const
    const door = 'C:\\Users\\my name\\hookbell\\hook.cjs'
    expect(hookCommand(door, 'droid', windows)).toMatchInlineSnapshot(
      `"@"C:\\node.exe" -e "try{require(process.argv[1])}catch{}" "C:/Users/my name/hookbell/hook.cjs" --client droid || exit 0"`,
    )
    expect(hookCommand(door, 'gemini', windows)).toMatchInlineSnapshot(
      `"node -e "try{require(process.argv[1])}catch{}" "C:/Users/my name/hookbell/hook.cjs" --client gemini ; exit 0"`,
    )
    expect(doorIn(hookCommand(door, 'droid', windows), 'win32')).toBe(door)
    expect(doorIn(hookCommand(door, 'gemini', windows), 'win32')).toBe(door)
  })

  it('asks Qwen Code for PowerShell on Windows only', () => {
    expect(hookEntry(clients.qwen, 'x', 'win32')).toMatchObject({ shell: 'powershell' })
    expect(hookEntry(clients.qwen, 'x', 'linux')).not.toHaveProperty('shell')
    expect(hookEntry(clients.claude, 'x', 'win32')).not.toHaveProperty('shell')
  })

  it.each([
    ...oddNames.map((name) => hookCommand(`/x/${name}/hookbell-hook`, 'droid')),
    hookCommand('C:\\a b\\hook.cjs', 'droid', { platform: 'win32', node: 'C:\\n d\\node.exe' }),
    hookCommand('C:\\a b\\hook.cjs', 'claude', { platform: 'win32', node: 'C:\\n d\\node.exe' }),
    hookCommand('C:\\a b\\hook.cjs', 'droid', { platform: 'win32', node: 'C:\\NODE.EXE' }),
    '"C:\\n d\\node.exe" "C:\\a b\\hook.cjs" --client droid >NUL 2>&1 || exit /b 0',
    sharedHookCommand('droid'),
    sharedHookCommand('claude'),
    ...oddNames.map((name) => hookCommand(`/x/${name}/hookbell-hook`, 'cursor')),
    sharedHookCommand('cursor'),
    "'/x/hookbell-hook' --client droid",
    '{ "$HOME/hookbell-hook" --client droid; } >/dev/null 2>&1 || :',
    "{ '/x/hookbell-hook' --client droid; } >/dev/null 2>&1 || :",
    "{ trap 'exit 0' 0; '/x/hookbell-hook' --client droid; } >/dev/null 2>&1 || :",
    `sh -c '{ trap "exit 0" 0; "$0" --client cursor; } >/dev/null 2>&1 || :' '/x/hookbell-hook'`,
    `sh -c '{ "$0" --client cursor; } >/dev/null 2>&1 || :' '/x/hookbell-hook'`,
    "'/x/hookbell-hook' --client qwen 2>/dev/null || :",
    '/x/hookbell-hook --client droid || true',
  ])('is recognized: %j', (command) => {
    expect(isHookCommand(command)).toBe(true)
  })

  it.each(oddNames)('names its front door: %j', (name) => {
    const door = `/x/${name}/hookbell-hook`
    expect([doorIn(hookCommand(door, 'droid')), doorIn(hookCommand(door, 'cursor'))]).toEqual([
      door,
      door,
    ])
    expect(doorIn(`"/x/a b/hookbell-hook" --client droid`)).toBe('/x/a b/hookbell-hook')
    expect(doorIn(String.raw`/x/a\ b/hookbell-hook --client droid`)).toBe('/x/a b/hookbell-hook')
  })

  it.each([
    sharedHookCommand('droid'),
    sharedHookCommand('cursor'),
    '$HOME/hookbell-hook --client droid',
    '~/hookbell-hook --client droid',
    '"/home/$USER/hookbell-hook" --client droid',
    'hookbell-hook --client droid',
    'echo /x/hookbell-hook',
  ])('names no front door that depends on the environment: %j', (command) => {
    expect(doorIn(command)).toBe(undefined)
  })

  it.each([
    'echo /x/hookbell-hook --client droid',
    `${hookCommand('/x/hookbell-hook', 'cursor')}; rm -rf /`,
    `sh -c 'rm -rf /' /x/hookbell-hook`,
    '/x/my-hookbell-hook --client droid',
    '/x/hookbell-hook-wrapper --client droid',
    '/x/hookbell-hook',
    '/x/hookbell-hook --client droid --verbose',
    '/x/hookbell-hook --client droid; rm -rf /',
    'MINE=1 /x/hookbell-hook --client droid',
    'sh /x/hookbell-hook --client droid',
    'python3 hook.cjs --client droid',
    'node-wrapper hook.cjs --client droid',
    'node -e "try{require(process.argv[1])}catch{}" "C:/a/mine.cjs" --client droid ; exit 0',
    'node -e "try{require(process.argv[1])}catch{}" "C:/a/hook.cjs" --client droid ; exit 1',
    '@"C:/rm.exe" -e "try{require(process.argv[1])}catch{}" "C:/a/hook.cjs" --client droid || exit 0',
    '# /x/hookbell-hook --client droid',
    'cat | { /x/hookbell-hook --client droid; }',
    '',
    undefined,
    7,
    null,
  ])('is not confused with a command of others: %j', (command) => {
    expect(isHookCommand(command)).toBe(false)
  })

  // With a square of the length, it would take many minutes.
  it('is searched for to the end of a hostile text', () => {
    expect(isHookCommand(`${"'a'".repeat(500_000)} --client`)).toBe(false)
    expect(isHookCommand(`{ ${'a\\ '.repeat(500_000)}`)).toBe(false)
  })
})
