import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quoteIfNeeded } from '../src/cli/how-to-call.ts'
import { clientNames } from '../src/clients/index.ts'
import { type Home, makeHome, root } from './support/home.ts'
import { shellQuote } from './support/shell-quote.ts'

describe('cli: usage errors', () => {
  it.each<[string[], string, string?]>([
    [['stauts'], 'x unknown command "stauts"', 'Did you mean "status"?'],
    [['--verison'], 'x unknown option "--verison"', 'Did you mean "--version"?'],
    [['-V'], 'x unknown option "-V"', 'Did you mean "-v"?'],
    [['--json'], 'x unknown option "--json"', 'Options come after the command'],
    [['help', 'stauts'], 'x unknown command "stauts"', 'Did you mean "status"?'],
    [['log', '--jsno'], 'x log: unknown option "--jsno"', 'Did you mean "--json"?'],
    [['log', '--limit'], 'x log: --limit needs a value'],
    [['log', '--limit', '--all'], 'x log: --limit needs a value', '--limit=--all'],
    [['log', '--limit', 'all'], 'x log: --limit takes a whole number from 1, not "all"'],
    [['log', 'one', 'two'], 'x log: too many arguments: "two"'],
    [['log', '--', 'one', 'two'], 'x log: too many arguments: "two"'],
    [['log', '--', '--json', '--limit'], 'x log: too many arguments: "--limit"'],
    [
      ['secrets', 'set', 'TOKEN', '--', 'canary'],
      'x secrets: no secret is taken from the command line, where others can read it',
    ],
    [['log', 'no-such-event'], 'x log: no event with an id that starts with "no-such-event"'],
    [['test'], 'x test: CHANNEL is missing'],
    [['test', 'tema'], 'x test: no channel "tema"'],
    [['test', 'desktpo'], 'x test: no channel "desktpo"', 'Did you mean "desktop"?'],
    [
      ['test', 'slack'],
      'x test: no channel "slack"',
      'Channels: desktop. To add it: hookbell init --channel slack',
    ],
    [['dead', 'bury'], 'x dead: unknown action "bury"'],
    [['dead', 'retry'], 'x dead retry: which one?', 'Give an id, or --all'],
    [['dead', 'drop', 'abc'], 'x dead: no dead event "abc"'],
    [['dead', 'drop', 'abc', '--all'], 'x dead drop: an id and --all exclude each other'],
    [
      ['hub', 'dead', 'drop', 'abc', '--all'],
      'x hub dead drop: an id and --all exclude each other',
    ],
    [['hub', 'dead', 'bury'], 'x hub dead: unknown action "bury"', 'Actions: list, retry, drop'],
    [['init'], 'x found no agent client'],
    [['init', '--client', 'droid'], 'x init asks before it writes'],
    [['init', '--client', 'foo'], 'x unknown client "foo"', `Known: ${clientNames.join(', ')}`],
    [
      ['init', '--channel', 'file'],
      'x --channel: init cannot set up "file"',
      'For others see docs/notifiers.md',
    ],
    [['init', '--client', 'droid', '--yes=no'], 'x init: --yes takes no value'],
    [['status', '--json=yes'], 'x status: --json takes no value'],
    [
      ['init', '--client', 'droid', '--client=codex', '--yes'],
      'x init: --client was given twice',
      'Give them together: --client droid,codex',
    ],
    [
      ['init', '--client', 'droid', '--client=', '--yes'],
      'x init: --client was given twice',
      'Give it once',
    ],
    [
      ['init', '--client', 'droid', '--client=droid', '--yes'],
      'x init: --client was given twice',
      'Give it once',
    ],
    [['log', '--since', '1h', '--since', '2h'], 'x log: --since was given twice', 'Give it once'],
  ])('%j prints the mistake on one line and exits with 64', async (words, message, hint = '') => {
    const home = await makeHome()
    const { exitCode, stderr, stdout } = await home.run(...words)
    expect(stderr.split('\n')[0]).toBe(message)
    expect(stderr).toContain(hint)
    expect({ exitCode, stdout, lines: stderr.split('\n').length <= 2 }).toEqual({
      exitCode: 64,
      stdout: '',
      lines: true,
    })
  })

  it('messages show commands as they must be typed if hookbell is not on the PATH', async () => {
    const home = await makeHome()
    Object.assign(home.env, { PATH: '/usr/bin:/bin' })
    const typed = `node ${quoteIfNeeded(join(root, 'bin/hookbell'))}`
    for (const project of ['shop', 'api']) await home.run('mute', '1h', '--project', project)
    const unmuted = await home.run('unmute', '--project', 'shop')
    expect(unmuted.stdout).toContain(`see ${typed} status`)
    expect((await home.run('api')).stdout).toContain(`\n${typed} api GET /path calls`)
    const init = ['init', '--client', 'droid', '--channel', 'terminal', '--dry-run']
    expect((await home.run(...init)).stdout).toContain(`To keep it: ${typed} init`)
  })

  it('an invalid configuration is reported with file, line and column, and exits with 78', async () => {
    const home = await makeHome()
    await home.writeConfig('{\n  "channels": { "team": { "type": "slak" } }\n}')
    const { exitCode, stderr } = await home.run('test', 'team')
    expect(stderr).toContain('config/config.json:2:')
    expect(stderr).toContain('channels.team.type')
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(exitCode).toBe(78)
  })
})

describe.runIf(existsSync('/dev/full'))('cli: a full disk', () => {
  it.each(['api', 'log --help', 'status --json', 'dead', 'log'])(
    'makes `%s` exit with 74, also with cached code',
    async (words) => {
      const home = await makeHome()
      home.accept({ hook_event_name: 'Stop' })
      const full = openSync('/dev/full', 'w')
      onTestFinished(() => closeSync(full))
      const run = () =>
        spawnSync(process.execPath, [join(root, 'bin/hookbell'), ...words.split(' ')], {
          env: home.env,
          stdio: ['ignore', full, 'pipe'],
          encoding: 'utf8',
        })
      for (const { status, stderr } of [run(), run()]) {
        expect(stderr).toContain('ENOSPC')
        if (words.endsWith('--json')) expect(JSON.parse(stderr).error.code).toBe('ENOSPC')
        expect(status).toBe(74)
      }
    },
  )
})

describe('cli: a file that cannot be used', () => {
  const links: Record<string, (path: string) => void> = {
    'a link to itself': (path) => symlinkSync(path, path),
    'a link to nothing': (path) => symlinkSync('nowhere', path),
  }
  const all = { ...links, 'a folder': (path: string) => mkdirSync(path) }
  const init = ['init', '--client', 'claude', '--yes']
  const cases: [string, typeof links, string[]][] = [
    ['config/config.json', all, ['config', 'edit']],
    ['config/config.json', all, ['config', 'check']],
    ['config/config.json', all, ['test', 'desktop']],
    ['config/secrets.env', all, ['secrets', 'list']],
    ['config/secrets.env', all, ['secrets', 'unset', 'URL']],
    ['config/secrets.env', all, [...init, '--channel', 'slack']],
    ['config/templates/plain/done.liquid', all, ['status']],
    ['.claude/settings.json', all, init],
    ['.claude/settings.json', links, ['doctor']],
    ['config', links, ['config', 'edit']],
    ['config', links, ['secrets', 'unset', 'URL']],
    ['.claude', links, init],
    ['state/backups', links, init],
    ['state', links, ['mute', '1h']],
  ]

  it.each(
    cases.flatMap(([file, kinds, words]) =>
      Object.entries(kinds).map(([kind, make]) => ({ file, kind, make, words })),
    ),
  )('`$words` says in plain words that $file is $kind', async ({ file, make, words }) => {
    const home = await makeHome()
    Object.assign(home.env, { EDITOR: 'true' })
    for (const folder of ['.claude', 'state', 'config/templates/plain'])
      mkdirSync(join(home.home, folder), { recursive: true, mode: 0o700 })
    const path = join(home.home, file)
    rmSync(path, { recursive: true, force: true })
    make(path)
    const { exitCode, stdout, stderr } = await home.run(...words)
    const printed = `${stdout}\n${stderr}`
    expect(printed).toContain(path)
    // The random name of the folder may look like the code of a system error.
    expect(printed.replaceAll(home.home, '')).not.toMatch(/\bE[A-Z]{4,}\b|fault in hookbell/)
    expect([0, 70, 74]).not.toContain(exitCode)
  })
})

it.skipIf(process.platform === 'win32')(
  'cli: a file in the place of the state folder is refused with the repair',
  async () => {
    const home = await makeHome()
    rmSync(home.state, { recursive: true, force: true })
    writeFileSync(home.state, '', { mode: 0o600 })
    const { stderr, exitCode } = await home.run('status')
    expect(stderr).toBe(`x ${home.state}: not a folder\n  Move it away`)
    expect(exitCode).toBe(73)
  },
)

describe.runIf(process.getuid?.() === 0)('cli: a state folder', () => {
  const commands = [
    ...['status', 'log', 'why', 'dead', 'report', 'digest', 'simulate', 'unmute', 'resume'],
    ...['flush', 'mute 1h'],
  ]

  it.each(commands)('of another user is refused by `%s`, with the repair', async (words) => {
    const home = await makeHome()
    home.accept({ hook_event_name: 'Stop' })
    await execa('chown', ['54321:54321', home.home, join(home.home, 'config')])
    const { stderr, stdout, exitCode } = await runAs(54321, home, words.split(' '))
    expect(stderr).toContain(`${home.state}: belongs to another user (uid 0)\n`)
    expect(stderr).toContain(`If it is yours, run: sudo chown -R 54321 ${shellQuote(home.state)}`)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 73 })
  })

  it('of another user is reported by `doctor`, with the same repair', async () => {
    const home = await makeHome()
    home.accept({ hook_event_name: 'Stop' })
    await execa('chown', ['54321:54321', home.home, join(home.home, 'config')])
    const { stdout } = await runAs(54321, home, ['doctor', '--offline', '--json'])
    expect(JSON.parse(stdout).checks).toContainEqual({
      ...{ id: 'permissions', status: 'broken' },
      seen: `${home.state}: belongs to another user (uid 0)`,
      do: `If it is yours, run: sudo chown -R 54321 ${shellQuote(home.state)}`,
    })
  })

  it('that its own user cannot read is refused with the repair', async () => {
    const home = await makeHome()
    home.accept({ hook_event_name: 'Stop' })
    chmodSync(home.state, 0)
    await execa('chown', ['-R', '54321:54321', home.home])
    const { stderr } = await runAs(54321, home, ['log'])
    expect(stderr).toContain(`${home.state}: you cannot read it (mode 0000)\n`)
    expect(stderr).toContain(`Run: chmod u+rwx ${shellQuote(home.state)}`)
  })
})

function runAs(uid: number, { env }: Home, words: readonly string[]) {
  const user = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', process.execPath]
  const options = { env, extendEnv: false, reject: false } as const
  return execa('setpriv', [...user, join(root, 'bin/hookbell'), ...words], options)
}

describe('cli: help', () => {
  it('lists the arguments and the options of a command', async () => {
    const home = await makeHome()
    const { stdout, exitCode } = await home.run('reply', '--help')
    expect(exitCode).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Post a follow-up to a session
      The API key comes from the environment variable HOOKBELL_API_KEY, else from FACTORY_API_KEY.

      Usage: hookbell reply [OPTIONS] SESSION TEXT

        SESSION  Session ID
        TEXT     The message, or - for stdin

        --wait          Wait for the agent and print its answer
        --timeout TIME  How long to wait, such as 30s or 10m (default 10m)
        --json          Print JSON"
    `)
  })

  it('help VERB prints the same as VERB --help', async () => {
    const home = await makeHome()
    const [one, other] = await Promise.all([home.run('help', 'log'), home.run('log', '--help')])
    expect(one.stdout).toContain('Usage: hookbell log [OPTIONS] [ID]')
    expect(one).toMatchObject({ exitCode: 0, stdout: other.stdout, stderr: '' })
  })

  it('--help after -- is text, not an option', async () => {
    const home = await makeHome()
    const { exitCode, stdout } = await home.run('reply', 'a', '--', '--help')
    expect(stdout).toBe('')
    expect(exitCode).not.toBe(0)
  })

  it('hints at quotes for a text of several words', async () => {
    const home = await makeHome()
    const { stderr } = await home.run('reply', 'a', 'b', 'c')
    expect(stderr).toContain('too many arguments: "c"\n  Put quotes around text with spaces. ')
  })

  it.each([
    ['hold', 'It takes no arguments. Options: --json'],
    ['status', 'It takes no arguments. Options: --json'],
  ])('does not hint at quotes for %s, which takes no text', async (command, hint) => {
    const home = await makeHome()
    const { stderr } = await home.run(command, '1h')
    expect(stderr.trimEnd()).toBe(`x ${command}: too many arguments: "1h"\n  ${hint}`)
  })
})

describe('cli: start', () => {
  it('--version prints the version of the package', async () => {
    const home = await makeHome()
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const flag of ['-v', '--version'])
      expect(await home.runAlone(flag)).toMatchObject({ exitCode: 0, stdout: version, stderr: '' })
  })
})

describe('cli: folders', () => {
  const oneLine = /^x .*\n {2}(?:Check|Repair|Move) .*$/

  it('status names an unreadable folder and still prints the rest', async () => {
    const home = await makeHome()
    home.accept('{}')
    const folder = join(home.state, 'spool/dead')
    symlinkSync(folder, folder)
    const { exitCode, stdout } = await home.run('status')
    expect(stdout).toContain(`${folder} cannot be read`)
    expect(stdout).toContain('1: 1 waiting')
    expect(exitCode).toBe(1)
  })

  it.each(['log', 'dead'])(
    '%s names an unreadable folder on one line and exits with 74',
    async (name) => {
      const home = await makeHome()
      home.accept('{}')
      const folder = join(home.state, 'spool/dead')
      symlinkSync(folder, folder)
      const { exitCode, stdout, stderr } = await home.run(name)
      expect(stderr).toMatch(oneLine)
      expect(stderr).toContain(`x ${folder}: a link that leads back to itself`)
      expect({ exitCode, stdout }).toEqual({ exitCode: 74, stdout: '' })
    },
  )

  it('test reports on one line that nothing can be stored, and exits with 73', async () => {
    const home = await makeHome()
    writeFileSync(home.state, '')
    const { exitCode, stdout, stderr } = await home.run('test', 'desktop')
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(home.state)
    expect({ exitCode, stdout }).toEqual({ exitCode: 73, stdout: '' })
  })

  it('test gives up when the journal cannot be written', async () => {
    const home = await makeHome()
    mkdirSync(join(home.state, 'journal.jsonl'), { recursive: true })
    const { exitCode, stderr } = await home.runAlone('test', 'desktop')
    expect(stderr).toContain('journal.jsonl: a folder is in the place of the file')
    expect(exitCode).toBe(1)
  })

  it.each(['status', 'log', 'report', 'why x'])(
    '%s names a folder in the place of the journal',
    async (words) => {
      const home = await makeHome()
      const path = join(home.state, 'journal.jsonl')
      mkdirSync(path, { recursive: true })
      const { exitCode, stderr } = await home.run(...words.split(' '))
      expect(stderr).toBe(`x ${path} is not a regular file\n  Move it away`)
      expect(exitCode).toBe(73)
    },
  )

  it('unmute names a folder in the place of its file', async () => {
    const home = await makeHome()
    const path = join(home.state, 'mutes.json')
    mkdirSync(path, { recursive: true })
    const { exitCode, stderr } = await home.run('unmute')
    expect(stderr).toBe(`x ${path}: a folder is in the place of the file\n  Move that folder away`)
    expect(exitCode).toBe(74)
  })

  it('foreign files in the spool are ignored', async () => {
    const home = await makeHome({ lingerSeconds: 0 })
    home.accept('{}')
    mkdirSync(join(home.state, 'spool/cur'))
    writeFileSync(join(home.state, 'spool/cur/foreign'), '')
    expect(await home.run('log')).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

describe('cli: help', () => {
  it('names what most people need when called without arguments', async () => {
    const home = await makeHome()
    const { exitCode, stdout } = await home.run()
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').length).toBeLessThanOrEqual(15)
    expect(stdout).toMatchInlineSnapshot(`
      "hookbell 0.1.0: notifies you when your coding agent needs you

      Usage: hookbell COMMAND [OPTIONS]

        Every day              answer, away, sessions, status, log, why, digest, mute, unmute
        Set up                 init, clients, uninstall, test, preview, config, secrets
        If something is wrong  doctor, dead, flush, hold, resume
        The platform's API     messages, reply, usage, api

      hookbell COMMAND --help shows what a command is for; hookbell --all lists all commands."
    `)
    for (const words of [['help'], ['--help'], ['-h']])
      expect((await home.run(...words)).stdout).toBe(stdout)
  })

  it.each([['--all'], ['help', '--all'], ['--help', '--all']])(
    'lists all commands with %s %s',
    async (...words) => {
      const home = await makeHome()
      const { exitCode, stdout } = await home.run(...words)
      expect(exitCode).toBe(0)
      expect(stdout).toMatchInlineSnapshot(`
        "hookbell 0.1.0: notifies you when your coding agent needs you

        Usage: hookbell COMMAND [OPTIONS]

          init        Register hookbell with an agent client
          clients     Show installed agent clients, and where hookbell is registered
          doctor      Find out why no notification arrives; --fix makes safe repairs
          uninstall   Remove the hooks from all settings
          test        Send one real message to a channel and show its answer
          notify      Send a message of your own, from a script or by an agent
          preview     Show what a channel would be sent, without sending it
          answer      Show the questions of agents that can be answered from here, and answer them
          away        Let Codex and Qwen Code wait for an answer from elsewhere while you are away
          back        End hookbell away: questions come to the screen at once
          sessions    Show what each session does, who waits for you, and for how long
          status      Show what is waiting, dead or broken
          log         Show what happened to each event
          why         Explain why you were notified of an event, or not
          simulate    Judge past events with another configuration, and show the difference
          report      Show how long agents waited for a person, and what was sent
          digest      Summarize what is done, what failed, and what still waits for you
          config      Show, edit or check the configuration
          secrets     Set, list or remove the secrets of channels; never shows a value
          trust       Trust the .hookbell.json of a project
          mute        Silence everything, or one session, project or kind, for a while
          unmute      End all mutes, or only one
          dead        List, retry or drop events that could not be delivered
          flush       Retry failed deliveries now
          hold        Stop sending; events are still accepted and wait
          resume      Resume sending after hookbell hold
          purge       Remove everything that waits, undelivered
          drain       Deliver everything that waits before this machine ends; exit code 0 if nothing is left
          hub         Run a hub for many machines, or show what waits in it
          worker      Deliver what is waiting, in the foreground
          demo        Show the whole path in a demo, without an account and without changing anything
          messages    Read the conversation of a session
          reply       Post a follow-up to a session
          usage       Show credits, users, sessions, tools and productivity
          api         Call an endpoint of the API, or list them all
          emulator    Run a local server that behaves like the API
          completion  Print a completion script for your shell
          hook        Accept one hook event on stdin, without output (called by agents)

        hookbell COMMAND --help shows the options of a command."
      `)
    },
  )

  it('exists for every command except hook, without colours', async () => {
    const home = await makeHome()
    const { stdout: list } = await home.run('--all')
    const names = [...list.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name]) => name ?? '')
    for (const name of names.filter((name) => name !== 'hook')) {
      const { exitCode, stdout } = await home.run(name, '--help')
      expect(exitCode).toBe(0)
      expect(stdout).toContain(`hookbell ${name}`)
      expect(stdout, 'no colours in a pipe').not.toContain('\u001b')
    }
  })
})
