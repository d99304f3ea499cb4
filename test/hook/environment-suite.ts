import { type StdioOptions, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sessionVariables } from '../../src/clients/index.ts'
import { sessionFacts } from '../../src/hook/session-env.ts'
import { ttyName } from '../../src/notifiers/terminal/place.ts'
import { parseSpoolFile } from '../../src/spool/event-file.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { shellQuote } from '../support/shell-quote.ts'
import {
  type Door,
  emptySpools,
  fallbackOf,
  files,
  type Home,
  makeHome,
  openPipe,
  pathOf,
  pretendWarmWorker,
  quiet,
  runDoor,
  shells,
  silent,
  spooled,
  waitFor,
} from './_door.ts'

/** A user without an entry in the passwd file. */
const UNKNOWN_USER = 54321
const asUnknown = `setpriv --reuid ${UNKNOWN_USER} --clear-groups`
const isRoot = process.getuid?.() === 0
/** Commands that a person may have replaced by exported functions of bash. */
const SHADOWED = ['command', 'dd', 'kill', 'mkdir', 'mv', 'printf', 'read', 'sleep', 'sync', 'wait']
/** Makes bash write each command to stdout, which is the file of the event while the event is written. */
const TRACED = 'SHELLOPTS=xtrace BASH_XTRACEFD=1'
const EVENT = '{"hook_event_name":"Stop"}'

/** Tests that every front door works in any environment and for any user. */
export function environmentSuite(door: Door) {
  let home: Home
  beforeEach(() => {
    home = makeHome()
  })

  function storedFacts() {
    const folder = join(home.state, 'spool/new')
    const path = join(folder, files(folder)[0] ?? '')
    return parseSpoolFile(readFileSync(path))?.header.env ?? {}
  }

  async function expectStored(options: Parameters<typeof runDoor>[2], state = home.state) {
    expect(quiet(await runDoor(door, home, { input: EVENT, ...options }))).toEqual(silent)
    expect(spooled(state)).toEqual([Buffer.from(EVENT)])
  }

  describe(`${door.name}: environment`, () => {
    // Runs as another user, who must not reach the home of the person who runs the tests.
    it.skipIf(!isRoot || door.isInstalled).each(['unset', '', 'relative/path'])(
      'uses the runtime folder of a user without passwd entry if HOME is "%s"',
      async (HOME) => {
        const runtime = join(home.folder, 'runtime')
        const state = join(runtime, '.local/state/hookbell')
        mkdirSync(state, { recursive: true, mode: 0o700 })
        pretendWarmWorker(state)
        spawnSync('chown', ['-R', `${UNKNOWN_USER}`, runtime])
        chownSync(home.folder, UNKNOWN_USER, UNKNOWN_USER)
        const env = { PATH: process.env.PATH, HOME, XDG_RUNTIME_DIR: runtime }
        const script = `${HOME === 'unset' ? 'unset HOME; ' : ''}exec ${asUnknown} "$@"`
        const run = await runDoor(door, home, { script, env, input: EVENT })
        expect(quiet(run)).toEqual(silent)
        expect(storedBelow(runtime)).toEqual([EVENT])
        expect(files(join(home.folder, 'relative'))).toEqual([])
      },
    )

    it.skipIf(door.isInstalled || !existsSync('/proc/self'))(
      'uses the fallback folder if the state folder cannot be created',
      async () => {
        const runtime = join(home.folder, 'runtime')
        const env = {
          ...home.env,
          HOOKBELL_STATE_DIR: '/proc/none/state',
          XDG_RUNTIME_DIR: runtime,
        }
        const fallback = fallbackOf({ ...home, state: '/proc/none/state', env })
        mkdirSync(fallback, { recursive: true, mode: 0o700 })
        pretendWarmWorker(fallback)
        await expectStored({ env }, fallback)
      },
    )

    it('works without PATH', async () => {
      await expectStored({ env: { ...home.env, PATH: '' } })
    })

    it('works in a deleted working folder', async () => {
      // dash prints an error before it reads the first line, so only the registered command can silence it.
      const script = 'mkdir gone; cd gone; rmdir ../gone; { "$@"; } >/dev/null 2>&1'
      await expectStored({ script })
    })

    it.each(['0', '022', '0777'])(
      'creates private folders and files with umask %s',
      async (umask) => {
        await expectStored({ script: `umask ${umask}; exec "$@"` })
        const spool = join(home.state, 'spool')
        const [event = ''] = files(join(spool, 'new'))
        const modes = [spool, join(spool, 'tmp'), join(spool, 'new'), join(spool, 'new', event)]
        expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual([
          0o700, 0o700, 0o700, 0o600,
        ])
      },
    )

    it('stores only short, single-line values of known session variables', async () => {
      const facts = {
        TERM_PROGRAM: 'x y',
        TMUX: `/tmp/tmux with spaces,$HOME,\`id\`,'"`,
        STY: '1\nclient: forged',
        SSH_TTY: 'x'.repeat(100_000),
        SLACK_WEBHOOK_URL: 'secret-canary',
      }
      await expectStored({ env: { ...home.env, ...facts } })
      const path = join(home.state, 'spool/new', files(join(home.state, 'spool/new'))[0] ?? '')
      const { TERM_PROGRAM, TMUX } = facts
      const { XDG_RUNTIME_DIR } = home.env
      const { client, env } = parseSpoolFile(readFileSync(path))?.header ?? {}
      // The terminal and its job depend on who runs the tests, and bash sets TERM by itself.
      const { HOOKBELL_TTY: _, HOOKBELL_JOB: __, TERM: ___, ...kept } = env ?? {}
      expect(client).toBe('droid')
      expect(kept).toEqual({ TERM_PROGRAM, TMUX, XDG_RUNTIME_DIR })
      expect(readFileSync(path, 'utf8')).not.toContain('secret-canary')
    })

    it('stores all variables by which the events of the session are judged, and told', async () => {
      expect(sessionFacts).toEqual(expect.arrayContaining([...sessionVariables]))
      const facts = Object.fromEntries(sessionFacts.map((name) => [name, `of ${name}`]))
      await expectStored({ env: { ...home.env, ...facts } })
      expect(storedFacts()).toMatchObject(facts)
    })

    // A hook has no terminal, neither on its descriptors nor as its controlling terminal, or is a job of its own.
    it.skipIf(!hasPty).each([
      ['without a terminal', 'setsid --wait sh -c', true],
      ['in a job of their own', 'set -m; sh -c', false],
    ])('finds the terminal of an agent that starts its hooks %s', async (_, start, hasJob) => {
      const argv = [...(await door.argv(home)), '--client', 'droid'].map(shellQuote).join(' ')
      const event = join(home.folder, 'event')
      writeFileSync(event, EVENT)
      const hook = `${argv} <${shellQuote(event)} >/dev/null 2>&1; true`
      const agent = `${start} ${shellQuote(hook)} & wait; sleep 1000`
      const { path, pid } = await startPty({
        command: `sh -c ${shellQuote(agent)}`,
        env: home.env as never,
      })
      await waitFor(() => files(join(home.state, 'spool/new')).length > 0)
      const { HOOKBELL_TTY, HOOKBELL_JOB } = storedFacts()
      expect(ttyName(HOOKBELL_TTY)).toBe(path)
      expect(HOOKBELL_JOB).toBe(hasJob ? `${pid}` : undefined)
    })

    it.each([
      [
        'shell variables',
        {
          IFS: 'aeiou/',
          CDPATH: '/',
          POSIXLY_CORRECT: '1',
          LC_ALL: 'tr_TR.UTF-8',
          GREP_OPTIONS: '-v',
        },
      ],
      ['start-up files', { ENV: '/dev/zero', BASH_ENV: '/nonexistent' }],
      [
        'variables named like its own',
        {
          state: '/',
          reader: '1',
          watcher: '1',
          late: 'yes',
          saved: '/',
          root: '/',
          too_large: '1',
          id: '../../x',
          worker: '/bin/false',
          job: '1',
        },
      ],
      [
        'fields of the event, as droid does',
        { message: '$(touch pwned)', session_id: '`touch pwned`', reason: "'; touch pwned; '" },
      ],
      [
        'ten long values',
        Object.fromEntries([...'abcdefghij'].map((name) => [name, 'x'.repeat(120_000)])),
      ],
    ])('works with %s in its environment', async (_, env) => {
      await expectStored({ env: { ...home.env, ...env } })
      expect(existsSync(join(home.folder, 'pwned'))).toBe(false)
    })

    it.each([
      ['no argument', [], 'unknown'],
      ['no value', ['--client'], 'unknown'],
      ['one word', ['--client=claude'], 'claude'],
      ['a forged header', ['--client', 'x\nchannel: y'], 'unknown'],
      ['a path', ['--client', '../x'], 'unknown'],
      ['other arguments', ['hook', '-x', '--client', 'droid', 'y'], 'droid'],
    ])('takes the name of the client from %s', async (_, args, client) => {
      await expectStored({ args })
      const path = join(home.state, 'spool/new', files(join(home.state, 'spool/new'))[0] ?? '')
      expect(parseSpoolFile(readFileSync(path))?.header.client).toBe(client)
    })

    it.skipIf(!door.isNode).each(['--nonsense', '--require=/nonexistent.js'])(
      'prints nothing with NODE_OPTIONS=%s when the registered command discards the output',
      async (NODE_OPTIONS) => {
        const script = '{ "$@"; } >/dev/null 2>&1 || :'
        const env = { ...home.env, NODE_OPTIONS }
        expect(quiet(await runDoor(door, home, { script, env, input: EVENT }))).toEqual(silent)
      },
    )

    it.skipIf(door.isNode)('ignores NODE_OPTIONS', async () => {
      await expectStored({ env: { ...home.env, NODE_OPTIONS: '--nonsense' } })
    })
  })

  describe.skipIf(door.isNode)(`${door.name}: shells`, () => {
    it.each([...shells, 'bash as sh'])('behaves the same under %s', async (shell) => {
      const link = join(home.folder, 'sh')
      symlinkSync(pathOf('bash') ?? '', link)
      const [name = '', ...words] = shell.split(' ')
      const program = shell === 'bash as sh' ? shellQuote(link) : [pathOf(name), ...words].join(' ')
      const under = (tail: string) => `${tail} exec ${program} "$@"`
      const long = Buffer.alloc(3 * 1024 * 1024, 'x')
      const functions = SHADOWED.map((name) => `'BASH_FUNC_${name}%%=() { exit 2; }'`).join(' ')
      const stdio: StdioOptions = [openPipe(home, '{"a":'), 'pipe', 'pipe']
      const half = { feed: () => {}, stdio, changes: [] }
      const sizes = () => spooled(home.state).map(({ length }) => length)
      for (const [options, size] of [
        // First, because the others take the deadline out of an installed copy.
        [{ script: under(''), ...half }, 5],
        [{ script: under(''), input: EVENT }, EVENT.length],
        [{ script: under('exec <&-;') }, 0],
        [{ script: under(''), input: long }, 1024 * 1024],
        [{ script: under('umask 0777; unset HOME; PATH=;'), input: EVENT }, EVENT.length],
        // `sh` removes such variables, `env` does not.
        [{ script: `exec env ${functions} ${program} "$@"`, input: EVENT }, EVENT.length],
        [{ script: `exec env ${TRACED} ${program} "$@" >/dev/null`, input: EVENT }, EVENT.length],
      ] as const) {
        expect(quiet(await runDoor(door, home, options))).toEqual(silent)
        expect(sizes()).toEqual([size])
        emptySpools(home)
      }
    })

    it('passes shellcheck', async (context) => {
      if (!pathOf('shellcheck')) return context.skip('shellcheck is not installed')
      const [path = ''] = await door.argv(home, [])
      expect(spawnSync('shellcheck', [path], { encoding: 'utf8' }).stdout).toBe('')
    })
  })

  function storedBelow(folder: string): string[] {
    const { stdout } = spawnSync('find', [folder, '-path', '*/new/*'], { encoding: 'utf8' })
    const paths = stdout.split('\n').filter(Boolean)
    return paths.map((path) => parseSpoolFile(readFileSync(path))?.body.toString() ?? path)
  }
}
