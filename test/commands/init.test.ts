import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { type InitOptions, type InitWorld, runInit } from '../../src/commands/init/run.ts'
import { canMount } from '../doctor/_broken-home.ts'
import { fixtures } from '../install/fixtures.ts'
import { makeHome } from '../install/make-home.ts'
import { root } from '../support/home.ts'
import { inJsonCommand, shellQuote } from '../support/shell-quote.ts'

const model = '{\n  "model": "opus" // best\n}\n'

// A lone carriage return is escaped for the terminal, so that output is not a valid patch.
const patchable = fixtures.filter(([name, shape]) => shape === 'wrapped' && name !== 'CR only')

/** The machine of a droid user, with a fake front door that is only a path. */
function makeMachine(files: Record<string, string> = { '.factory/settings.json': model }) {
  const home = makeHome(files)
  const doors: (boolean | undefined)[] = []
  const questions: string[] = []
  let output = ''
  const run = async (options: InitOptions = {}, world: Partial<InitWorld> = {}) => {
    output = ''
    await runInit(options, {
      env: { HOME: home },
      cwd: home,
      isTerminal: false,
      print: (text) => {
        output += text
      },
      ask: async (question) => {
        questions.push(question)
        return ''
      },
      installFrontDoor: async ({ stateDir, dryRun }) => {
        doors.push(dryRun)
        return { path: join(stateDir, 'hookbell-hook') }
      },
      settle: async () => {},
      ...world,
    })
    return output
      .replaceAll(home, '~')
      .replaceAll(inJsonCommand(home), '~')
      .replace(/-[0-9a-f]{12}\//g, '-<id>/')
  }
  return {
    home,
    run,
    doors,
    questions,
    read: (name: string) => readFileSync(join(home, name), 'utf8'),
  }
}

describe('init --dry-run', () => {
  it('shows the change and writes nothing', async () => {
    const { run, home, doors } = makeMachine()
    expect(await run({ dryRun: true })).toMatchInlineSnapshot(`
      "--- ~/.factory/settings.json
      +++ ~/.factory/settings.json
      @@ -1,3 +1,60 @@
       {
      -  "model": "opus" // best
      +  "model": "opus", // best
      +  "hooks": {
      +    "Notification": [
      +      {
      +        "hooks": [
      +          {
      +            "type": "command",
      +            "command": "{ trap 'exit 0' 0; '~/.local/state/hookbell/hookbell-hook' --client droid; trap - 0; } >/dev/null 2>&1 || :",
      +            "timeout": 10
      +          }
      +        ]
      +      }
      +    ],
      +    "Stop": [
      +      {
      +        "hooks": [
      +          {
      +            "type": "command",
      +            "command": "{ trap 'exit 0' 0; '~/.local/state/hookbell/hookbell-hook' --client droid; trap - 0; } >/dev/null 2>&1 || :",
      +            "timeout": 10
      +          }
      +        ]
      +      }
      +    ],
      +    "SubagentStop": [
      +      {
      +        "hooks": [
      +          {
      +            "type": "command",
      +            "command": "{ trap 'exit 0' 0; '~/.local/state/hookbell/hookbell-hook' --client droid; trap - 0; } >/dev/null 2>&1 || :",
      +            "timeout": 10
      +          }
      +        ]
      +      }
      +    ],
      +    "SessionEnd": [
      +      {
      +        "hooks": [
      +          {
      +            "type": "command",
      +            "command": "{ trap 'exit 0' 0; '~/.local/state/hookbell/hookbell-hook' --client droid; trap - 0; } >/dev/null 2>&1 || :",
      +            "timeout": 10
      +          }
      +        ]
      +      }
      +    ],
      +    "UserPromptSubmit": [
      +      {
      +        "hooks": [
      +          {
      +            "type": "command",
      +            "command": "{ trap 'exit 0' 0; '~/.local/state/hookbell/hookbell-hook' --client droid; trap - 0; } >/dev/null 2>&1 || :",
      +            "timeout": 10
      +          }
      +        ]
      +      }
      +    ]
      +  }
       }

      Nothing was written.
      "
    `)
    expect(readdirSync(home)).toEqual(['.factory'])
    expect(readFileSync(join(home, '.factory/settings.json'), 'utf8')).toBe(model)
    expect(doors).toEqual([true])
  })

  it.each(patchable)('shows exactly the change that --yes writes: %s', async (_, __, text) => {
    const { run, home, read } = makeMachine({ '.factory/settings.json': text })
    const diff = JSON.parse(await run({ dryRun: true, json: true })).places[0].diff.replaceAll(
      '~',
      home,
    )
    await run({ yes: true })
    const patched = applyPatch(text, diff, { autoConvertLineEndings: false })
    expect(patched).toBe(read('.factory/settings.json'))
  })

  it('shows a new file as a diff against /dev/null', async () => {
    const { run } = makeMachine({ '.claude/projects/x': '' })
    expect((await run({ dryRun: true })).split('\n').slice(0, 6)).toEqual([
      '--- /dev/null',
      '+++ ~/.claude/settings.json',
      '@@ -0,0 +1,93 @@',
      '+{',
      '+  "hooks": {',
      '+    "Notification": [',
    ])
  })

  it('reports that the hooks are already there', async () => {
    const { run } = makeMachine()
    await run({ yes: true })
    expect(await run({ dryRun: true })).toBe(
      'Nothing to do: ~/.factory/settings.json has the hooks for Factory droid already.\n',
    )
  })
})

describe('init --yes', () => {
  it('prints the hooks it wrote, the backup and the next steps', async () => {
    const { run, read, doors } = makeMachine()
    expect(await run({ yes: true })).toMatchInlineSnapshot(`
      "Wrote ~/.factory/settings.json: Notification, Stop, SubagentStop, SessionEnd, UserPromptSubmit
      Backup: ~/.local/state/hookbell/backups/settings.json-<id>/0001.bak
      Next: restart running sessions: droid reads its hooks when it starts
            hookbell test desktop
      "
    `)
    expect(read('.factory/settings.json')).toContain('"model": "opus", // best\n')
    expect(read('.factory/settings.json').match(/hookbell-hook/g)).toHaveLength(5)
    expect(doors).toEqual([true, undefined])
  })

  it('suggests testing a channel of the configuration', async () => {
    const config = '{ "channels": { "audit": { "type": "file", "path": "~/audit.jsonl" } } }'
    const { run } = makeMachine({
      '.factory/settings.json': model,
      '.config/hookbell/config.json': config,
    })
    expect(await run({ yes: true })).toMatch(/ hookbell test audit\n$/)
  })

  it('renews only the front door on the second run', async () => {
    const { run, home, doors } = makeMachine()
    await run({ yes: true })
    const { mtimeMs, ino } = statSync(join(home, '.factory/settings.json'))
    expect(await run({ yes: true })).toBe(
      'Nothing to do: ~/.factory/settings.json has the hooks for Factory droid already.\n' +
        'Renewed: ~/.local/state/hookbell/hookbell-hook and what it runs, from this version\n',
    )
    expect(statSync(join(home, '.factory/settings.json'))).toMatchObject({ mtimeMs, ino })
    expect(doors).toEqual([true, undefined, true, undefined])
  })

  it('replaces its own command when the state directory has moved', async () => {
    const { run, read, home } = makeMachine()
    await run({ yes: true })
    await run({ yes: true }, { env: { HOME: home, HOOKBELL_STATE_DIR: join(home, "it's moved") } })
    const hooks = read('.factory/settings.json')
    expect(hooks.match(/hookbell-hook/g)).toHaveLength(5)
    expect(hooks.match(/moved\/hookbell-hook/g)).toHaveLength(5)
  })

  it('writes the events at the top level of an existing hooks.json of droid', async () => {
    const { run, read } = makeMachine({
      '.factory/hooks.json': '{}',
      '.factory/settings.json': model,
    })
    await run({ yes: true })
    expect(Object.keys(JSON.parse(read('.factory/hooks.json')))).toContain('Stop')
    expect(read('.factory/settings.json')).toBe(model)
  })

  it('never creates hooks.json', async () => {
    const machines: Record<string, string>[] = [
      { '.factory/x': '' },
      { '.factory/settings.json': '{"hooks":{"Stop":[]}}' },
    ]
    for (const files of machines) {
      const { run, home } = makeMachine(files)
      await run({ yes: true })
      expect(existsSync(join(home, '.factory/hooks.json'))).toBe(false)
    }
  })

  it('prints one JSON object with --json', async () => {
    const { run } = makeMachine()
    expect(JSON.parse(await run({ yes: true, json: true })).places[0]).toMatchObject({
      client: 'droid',
      scope: 'user',
      path: '~/.factory/settings.json',
      changed: true,
      written: true,
      backup: '~/.local/state/hookbell/backups/settings.json-<id>/0001.bak',
      notes: [],
    })
    expect(JSON.parse(await run({ yes: true, json: true })).places[0]).toMatchObject({
      changed: false,
      backup: null,
    })
  })

  it('detects that a running session restores its old settings', async () => {
    const { run, home } = makeMachine()
    const settle = async () => writeFileSync(join(home, '.factory/settings.json'), model)
    await expect(run({ yes: true }, { settle })).rejects.toMatchObject({
      code: 'E_FAILED',
      message: expect.stringMatching(/the hooks were removed again$/),
      hint: expect.stringMatching(/end all sessions/),
    })
  })

  it('warns about a setting that disables the hooks', async () => {
    const { run } = makeMachine({ '.factory/settings.json': '{"hooksDisabled": true}' })
    expect(await run({ yes: true })).toContain(
      'Note: ~/.factory/settings.json sets "hooksDisabled"',
    )
  })
})

describe('init if the client ignores the file because of an invalid entry', () => {
  it('prints a note, before and after it writes', async () => {
    const settings = '{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}'
    const { run } = makeMachine({ '.factory/settings.json': settings })
    const note =
      /^Note: ~\/\.factory\/settings\.json: .* Stop .*: Factory droid runs no hook of it$/m
    expect(await run({ client: 'droid', dryRun: true })).toMatch(note)
    expect(await run({ client: 'droid', yes: true })).toMatch(note)
  })
})

describe('init --project', () => {
  const files = { '.factory/x': '', 'repo/.git/HEAD': '', 'repo/src/x': '' }

  it('writes a command without a personal path and notes that the file is shared', async () => {
    const { run, read, home } = makeMachine(files)
    const output = await run({ yes: true, project: true }, { cwd: join(home, 'repo/src') })
    expect(output).toContain(
      'Note: ~/repo/.factory/settings.json is shared with everybody who works on this project.',
    )
    const text = read('repo/.factory/settings.json')
    expect(text).not.toContain(home)
    expect(text).toContain('$HOME/.local/state')
  })
})

describe('init on a terminal', () => {
  const terminal = { isTerminal: true }

  it('shows a summary and asks before it writes', async () => {
    const { run, questions, read } = makeMachine()
    const output = await run({}, terminal)
    expect(output).toMatch(/^~\/\.factory\/settings\.json: \d+ hooks for .*\n[\s\S]*Wrote /)
    expect(output).not.toContain('+++')
    expect(questions).toEqual(['Write this? [Y/n, d shows the whole change] '])
    expect(read('.factory/settings.json')).toContain('hookbell-hook')
  })

  it('shows the whole change on request and asks again', async () => {
    const { run, read } = makeMachine()
    const answers = ['d', 'no']
    const output = await run({}, { ...terminal, ask: async () => answers.shift() })
    expect(output).toMatch(/\n\+\+\+ ~\/\.factory\/settings\.json\n[\s\S]*Nothing was written\.\n$/)
    expect(read('.factory/settings.json')).toBe(model)
  })

  it('writes nothing after the answer no', async () => {
    const { run, home, doors } = makeMachine()
    expect(await run({}, { ...terminal, ask: async () => 'n' })).toMatch(/Nothing was written\.\n$/)
    expect(readdirSync(home)).toEqual(['.factory'])
    expect(doors).toEqual([true])
  })

  it('does not ask when there is nothing to do', async () => {
    const { run, questions } = makeMachine()
    await run({ yes: true })
    await run({}, terminal)
    expect(questions).toEqual([])
  })
})

describe('init refuses', () => {
  it.each([
    ['to ask where nobody can answer', {}, {}],
    ['to ask in the middle of JSON', { json: true }, { isTerminal: true }],
  ])('%s', async (_, options, world) => {
    const { run, home } = makeMachine()
    await expect(run(options, world)).rejects.toMatchObject({
      code: 'E_USAGE',
      hint: expect.stringContaining('--yes'),
    })
    expect(readdirSync(home)).toEqual(['.factory'])
  })

  it('to edit a damaged file, and reports the position of the error', async () => {
    const { run, home, doors } = makeMachine({ '.factory/settings.json': '{\n  "a": 1,,\n}' })
    await expect(run({ yes: true })).rejects.toMatchObject({
      code: 'E_SETTINGS',
      message: `${home}/.factory/settings.json:2:10: property name expected`,
    })
    expect(readdirSync(home)).toEqual(['.factory'])
    expect(doors).toEqual([true])
  })

  it('to write when the front door cannot be installed', async () => {
    const { run, read } = makeMachine()
    const installFrontDoor: InitWorld['installFrontDoor'] = async ({ dryRun }) => {
      if (!dryRun) throw new Error('disk full')
      return { path: '/x/hookbell-hook' }
    }
    await expect(run({ yes: true }, { installFrontDoor })).rejects.toThrow('disk full')
    expect(read('.factory/settings.json')).toBe(model)
  })
})

describe('hookbell init', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const cli = [join(root, 'bin/hookbell'), 'init']

  function start(home: string, args: string[], program = process.execPath, more: object = {}) {
    const { PATH } = process.env
    const env = { PATH, HOME: home, FORCE_COLOR: '0', ...more }
    const result = spawnSync(program, args, { cwd: root, env, encoding: 'utf8', input: '' })
    return { ...result, shown: (result.stdout + result.stderr).replaceAll(home, '~') }
  }

  it('exits with 64 and hints at --yes without a terminal', () => {
    const { status, shown } = start(makeHome({ '.factory/x': '' }), cli)
    expect({ status, shown }).toEqual({
      status: 64,
      shown: 'x init asks before it writes\n  Use --yes, or --dry-run to see what it would write\n',
    })
  })

  it('waits until a running session would have restored its old settings', () => {
    // The two seconds that init waits are over when the session has restored them, however busy the machine is.
    const clock = `const timers = require('node:timers/promises')
      const { existsSync } = require('node:fs')
      const sleep = timers.setTimeout
      timers.setTimeout = async (ms, ...more) => {
        if (ms !== 2000) return await sleep(ms, ...more)
        while (!existsSync('restored')) await sleep(20)
      }`
    const home = makeHome({ '.factory/settings.json': model, '.factory/clock.cjs': clock })
    const script = `cd ${shellQuote(`${home}/.factory`)}
      cp settings.json old
      { until grep -q hookbell settings.json; do sleep 0.1; done; cp old settings.json; touch restored; } &
      exec "$@" --client droid --yes`
    const words = [process.execPath, '--require', './clock.cjs', ...cli]
    const { status, shown } = start(home, ['-c', script, 'session', ...words], 'sh')
    expect(status).toBe(1)
    expect(shown).toContain('the hooks were removed again')
  })

  it('sets up the given channels and names the secrets they need', () => {
    const home = makeHome({ '.factory/x': '' })
    const words = [...cli, '--yes', '--channel', 'desktop,slack']
    expect(start(home, words).shown).toMatch(
      / hookbell secrets set SLACK_WEBHOOK_URL\n.* hookbell test desktop\n.* hookbell test slack\n$/,
    )
    const config = join(home, '.config/hookbell/config.json')
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
      channels: {
        desktop: { type: 'desktop' },
        slack: { type: 'slack', url: '${SLACK_WEBHOOK_URL}' },
      },
    })
    // An existing channel stays unchanged.
    const before = readFileSync(config, 'utf8')
    expect(start(home, words).status).toBe(0)
    expect(readFileSync(config, 'utf8')).toBe(before)
  })

  it('names a command that stores a secret that the shell has', () => {
    const words = [...cli, '--yes', '--channel', 'slack']
    const value = { SLACK_WEBHOOK_URL: 'https://x.test' }
    expect(start(makeHome({ '.factory/x': '' }), words, process.execPath, value).shown).toMatch(
      / printf %s "\$SLACK_WEBHOOK_URL" \| .*hookbell secrets set SLACK_WEBHOOK_URL\n/,
    )
  })

  it('sets up channels also if the configuration was removed a moment ago', () => {
    const home = makeHome({ '.factory/x': '' })
    const words = [...cli, '--yes', '--channel', 'terminal']
    const config = join(home, '.config/hookbell/config.json')
    for (const _ of ['first', 'again']) {
      expect(start(home, words).shown).toContain(
        'Wrote ~/.config/hookbell/config.json: channel terminal',
      )
      rmSync(config)
    }
  })

  it('reports a channel that it adds, and how to try it, also if the hooks are already there', () => {
    const home = makeHome({ '.factory/x': '' })
    const add = (type: string) => start(home, [...cli, '--yes', '--channel', type]).shown
    const calls = (shown: string) => shown.match(/(?<=hookbell )(secrets|test) .*/g)
    const first = add('slack')
    expect(first).toContain('\nWrote ~/.config/hookbell/config.json: channel slack\n')
    expect(calls(first)).toEqual(['secrets set SLACK_WEBHOOK_URL', 'test slack'])
    const second = add('ntfy')
    expect(second).toMatch(/^Wrote .*: channel ntfy\nRenewed: /)
    expect(calls(second)).toContain('test ntfy')
    const third = start(home, [...cli, '--yes']).shown
    expect(third).toMatch(/^Nothing to do: .*\nRenewed: .*\nNext: /)
    expect(calls(third)).toEqual(['secrets set SLACK_WEBHOOK_URL', 'secrets set NTFY_TOPIC'])
  })

  it('says that the first channel replaces the built-in one, and how to keep that', () => {
    const home = makeHome({ '.factory/x': '' })
    const add = (types: string, ...words: string[]) =>
      start(home, [...cli, ...words, '--channel', types]).shown
    const note =
      /^Note: desktop, the built-in channel, gets nothing .*: hookbell init --channel desktop\n/m
    expect(add('ntfy', '--dry-run')).toMatch(note)
    expect(add('ntfy,desktop', '--dry-run')).not.toMatch(note)
    expect(add('ntfy', '--yes')).toMatch(note)
    expect(add('terminal,desktop', '--yes')).not.toMatch(note)
    expect(add('slack', '--yes')).not.toMatch(note)
  })

  it('keeps the built-in channel, and prints no note, if a route leads to it', () => {
    const config = '{"routes": [{"on": ["done"], "to": ["desktop"]}]}'
    const home = makeHome({ '.factory/x': '', '.config/hookbell/config.json': config })
    const { shown } = start(home, [...cli, '--yes', '--channel', 'slack'])
    expect(shown).toContain('config.json: channels desktop, slack, and a route to slack\n')
    expect(shown).not.toContain('Note:')
  })

  it('does not take an inherited property name for a channel', () => {
    const { status, shown } = start(makeHome({ '.factory/x': '' }), [
      ...cli,
      '--yes',
      '--channel',
      'constructor',
    ])
    expect(status).toBe(64)
    expect(shown).toContain('init cannot set up "constructor"')
  })

  it('refuses a channel whose name a channel of another type has', () => {
    const config = '{"channels": {"slack": {"type": "file", "path": "~/x"}}}'
    const home = makeHome({ '.factory/x': '', '.config/hookbell/config.json': config })
    const { status, shown } = start(home, [...cli, '--yes', '--channel', 'slack'])
    expect(status).toBe(64)
    expect(shown).toMatch(
      /^x --channel: .* has a channel "slack" of another type\n.*config edit\n$/,
    )
    expect(readdirSync(join(home, '.factory'))).toEqual(['x'])
  })

  it('adds a channel for all clients without asking for one, once a client is registered', () => {
    const home = makeHome({ '.factory/x': '', '.claude/x': '' })
    const add = [...cli, '--yes', '--channel', 'ntfy']
    expect(start(home, add).shown).toContain('found more than one agent client: claude, droid')
    const one = ['--client', 'droid', '--events', 'Stop', '--yes']
    expect(start(home, [...cli, ...one]).status).toBe(0)
    const settings = readFileSync(join(home, '.factory/settings.json'), 'utf8')
    expect(start(home, [...cli, '--dry-run', '--channel', 'ntfy']).shown).toContain(
      'config.json: channel ntfy\n',
    )
    expect(start(home, add).shown).toMatch(/^Wrote ~.*config\.json: channel ntfy\n/)
    expect(start(home, add).shown).toMatch(
      /^Nothing to do: ~\/\.config\/hookbell\/config\.json has these channels already\.\nRenewed: .*\nNext: .*NTFY_TOPIC\n$/,
    )
    expect(readFileSync(join(home, '.factory/settings.json'), 'utf8')).toBe(settings)
    expect(readdirSync(join(home, '.claude'))).toEqual(['x'])
  })

  it('shows what it would add to the configuration, and no secret that is in it', () => {
    const home = makeHome({
      '.factory/x': '',
      '.config/hookbell/config.json': `{
  "channels": { "team": { "type": "slack", "url": "https://hooks.slack.com/services/T/B/private" } },
  "routes": [{ "on": ["done"], "to": ["team"] }]
}`,
    })
    const dry = [...cli, '--dry-run', '--channel', 'ntfy']
    const { shown } = start(home, dry)
    expect(shown).toMatch(
      /config\.json: channel ntfy, and a route to ntfy\n\nNothing was written\.\n$/,
    )
    expect(shown).toMatch(/^\+\+\+ ~\/\.config\/hookbell\/config\.json\n\+\{\n\+ {2}"channels": \{/)
    expect(shown).toContain('+      "topic": "${NTFY_TOPIC}"\n')
    expect(shown).toMatch(/\n\+ {2}"routes": \[[^\]]*"permission"/)
    expect(shown).not.toContain('private')
    expect(JSON.parse(start(home, [...dry, '--json']).shown)).toMatchObject({
      places: [{ client: 'droid' }],
      config: {
        channels: { ntfy: { type: 'ntfy', topic: '${NTFY_TOPIC}' } },
        routes: [{ to: ['ntfy'] }],
      },
    })
  })

  it('rejects a channel type that it cannot set up and writes nothing', () => {
    const home = makeHome({ '.factory/x': '' })
    const { status, shown } = start(home, [...cli, '--yes', '--channel', 'pigeon'])
    expect({ status, shown }).toMatchObject({
      status: 64,
      shown: expect.stringMatching(/^x --channel: init cannot set up "pigeon"\n/),
    })
    expect(readdirSync(join(home, '.factory'))).toEqual(['x'])
  })

  it('prints the settings with --print and writes nothing', () => {
    const home = makeHome({ '.factory/x': '' })
    const { stdout } = start(home, [...cli, '--client', 'claude,droid', '--print', '--json'])
    const { places } = JSON.parse(stdout)
    expect(places.map(({ client }: { client: string }) => client)).toEqual(['claude', 'droid'])
    for (const { text } of places) expect(text).toContain('hookbell-hook')
    expect(readdirSync(home)).toEqual(['.factory'])
  })

  it('lists the files written before one that failed', async () => {
    const { home, run } = makeMachine({ '.claude/settings.json': '{}', '.factory/x': '' })
    const settle = async () => {}
    const installFrontDoor: InitWorld['installFrontDoor'] = async ({ stateDir, dryRun }) => {
      // The path becomes a folder after the check and before the write, so that the write fails.
      if (!dryRun) mkdirSync(join(home, '.factory/settings.json/in-the-way'), { recursive: true })
      return { path: join(stateDir, 'hookbell-hook') }
    }
    const call = run({ client: 'claude,droid', yes: true }, { settle, installFrontDoor })
    await expect(call).rejects.toMatchObject({
      hint: expect.stringMatching(/Written before that: .*\.claude\/settings\.json$/),
    })
  })

  it('exits with 78 and the position of the error in a damaged file', () => {
    const home = makeHome({ '.factory/settings.json': '{\n  "hooks": "x"\n}' })
    const { status, shown } = start(home, [...cli, '--yes'])
    expect(status).toBe(78)
    expect(shown).toMatch(
      /^x ~\/\.factory\/settings\.json:2:12: "hooks" is a string, not an object\n/,
    )
  })

  it.runIf(process.getuid?.() === 0)('creates no files of root in the home of a user', () => {
    const home = makeHome({ '.factory/x': '' })
    chownSync(home, 54_321, 54_321)
    const words = [...cli, '--client', 'droid', '--yes']
    const env = { HOME: home, PATH: process.env.PATH, SUDO_UID: '54321' }
    const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
    expect(status).toBe(78)
    expect(stderr).toBe(
      `x ${home}: belongs to another user (uid 54321)\n` +
        '  Run hookbell as that user, without sudo. Nothing was written\n',
    )
    expect(readdirSync(home)).toEqual(['.factory'])
  })

  it('installs an executable front door and registers it', () => {
    const home = makeHome({ '.factory/settings.json': '{}' })
    const { status, shown } = start(home, [...cli, '--yes'])
    expect({ status, shown }).toMatchObject({ status: 0, shown: expect.stringMatching(/^Wrote ~/) })
    const { hooks } = JSON.parse(readFileSync(join(home, '.factory/settings.json'), 'utf8'))
    const door = join(home, '.local/state/hookbell/hookbell-hook')
    expect(hooks.Stop[0].hooks[0].command).toContain(
      `{ trap 'exit 0' 0; ${shellQuote(door)} --client droid; trap - 0; }`,
    )
    expect(statSync(door).mode & 0o100).toBe(0o100)
  })

  /** Runs in a real terminal and types the next of `keys` each time init asks. */
  async function startOnTerminal(home: string, keys: readonly string[]) {
    const command = [process.execPath, ...cli, '--client', 'droid'].map(shellQuote).join(' ')
    const env = { PATH: process.env.PATH, HOME: home }
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: root, env })
    let shown = ''
    let typed = 0
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      shown += chunk
      const asked = shown.split('shows the whole change]').length - 1
      for (; typed < asked; typed += 1) child.stdin.write(keys[typed] ?? '\u0004')
    })
    await once(child, 'close')
    return shown.replaceAll(home, '~')
  }

  it.runIf(spawnSync('script', ['--version']).status === 0).each([
    ['Enter', ['\r'], true],
    ['yes', ['Yes\r'], true],
    ['no', ['n\r'], false],
    ['d, and then yes', ['d\r', 'y\r'], true],
    ['anything else', ['what\r', 'n\r'], false],
    ['Ctrl+D', ['\u0004'], false],
    ['Ctrl+C', ['\u0003'], false],
  ])('handles the answer %s', async (_, keys, isYes) => {
    const home = makeHome({ '.factory/settings.json': '{}' })
    const shown = await startOnTerminal(home, keys)
    expect(shown.includes('+++ ~/.factory/settings.json')).toBe(keys.length > 1)
    expect(shown).toMatch(isYes ? /\nWrote ~/ : /(Nothing was written\.|nothing was changed)\r\n/)
    const text = readFileSync(join(home, '.factory/settings.json'), 'utf8')
    expect(text.includes('hookbell-hook')).toBe(isYes)
  })
})

describe('init in an untrusted project', () => {
  const evil = 'shop\u001b[2J\u202eexe.\u009b31m\u200b\nWrote nothing'
  const project = { client: 'droid', project: true }

  it.each([{ dryRun: true }, { yes: true }, { yes: true, json: true }, {}])(
    'prints no control characters of its path: %j',
    async (options) => {
      const { home, run, questions } = makeMachine({ [`${evil}/.factory/settings.json`]: model })
      const world = { cwd: join(home, evil), isTerminal: true }
      const output = await run({ ...project, ...options }, world)
      // The second run has nothing to do.
      const again = await run({ ...project, ...options }, world)
      const text = [output, again, ...questions].join('\n')
      expect(text).toContain('shop')
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028-\u202e]/)
      expect(text).not.toMatch(/^Wrote nothing/m)
      if (options.json)
        expect(JSON.parse(output).places[0].path).toBe(`~/${evil}/.factory/settings.json`)
    },
  )

  it.each([
    ['the file', 'repo/.factory/settings.json', '../../victim/settings.json'],
    ['the folder', 'repo/.factory', '../victim'],
    ['the project', 'repo', 'other'],
  ])('rejects a symbolic link that replaces %s after the question', async (_, link, target) => {
    const { home, run, read } = makeMachine({
      'repo/.git/HEAD': '',
      'repo/.factory/settings.json': model,
      'victim/settings.json': model,
      'other/.factory/settings.json': model,
    })
    const plant = async () => {
      renameSync(join(home, link), join(home, 'away'))
      symlinkSync(target, join(home, link))
      return ''
    }
    await expect(
      run(project, { cwd: join(home, 'repo'), isTerminal: true, ask: plant }),
    ).rejects.toMatchObject({
      code: 'E_SETTINGS',
      message: expect.stringMatching(/link out of the project/),
    })
    for (const name of ['victim/settings.json', 'other/.factory/settings.json']) {
      expect(read(name)).toBe(model)
    }
    expect(readdirSync(join(home, 'victim'))).toEqual(['settings.json'])
    expect(readdirSync(join(home, 'other/.factory'))).toEqual(['settings.json'])
  })

  it('rejects a symbolic link that is created in place of the missing folder after the question', async () => {
    const { home, run } = makeMachine({ 'repo/.git/HEAD': '', 'victim/other.txt': '' })
    const plant = async () => {
      symlinkSync('../victim', join(home, 'repo/.factory'))
      return ''
    }
    await expect(
      run(project, { cwd: join(home, 'repo'), isTerminal: true, ask: plant }),
    ).rejects.toMatchObject({ code: 'E_SETTINGS' })
    expect(readdirSync(join(home, 'victim'))).toEqual(['other.txt'])
  })
})

describe('init where a symbolic link replaces the settings', () => {
  it.each([
    ['the file', '.factory/settings.json', '../other/settings.json'],
    ['the folder', '.factory', 'other'],
  ])('refuses to write through the link after the question: %s', async (_, link, target) => {
    const files = { '.factory/settings.json': model, 'other/settings.json': model }
    const { home, run, read } = makeMachine(files)
    const ask = async () => {
      renameSync(join(home, link), join(home, 'away'))
      symlinkSync(target, join(home, link))
      return 'y'
    }
    await expect(run({ client: 'droid' }, { isTerminal: true, ask })).rejects.toMatchObject({
      message: expect.stringMatching(/settings\.json: this leads to another file than before/),
      hint: expect.stringMatching(/Written before that: .*\/hookbell-hook$/),
    })
    expect(read('other/settings.json')).toBe(model)
    expect(readdirSync(join(home, 'other'))).toEqual(['settings.json'])
  })
})

describe.skipIf(!canMount)('init on a full disk', () => {
  /** Runs init in its own mount namespace, in which the folder has only `size` of space. */
  function initWith(folder: string, size: string) {
    const home = makeHome({ '.factory/settings.json': model })
    const path = join(home, folder)
    const script = `
      cp -a "$FOLDER" "$FOLDER.old"; mount -t tmpfs -o size=${size} x "$FOLDER" || exit 99
      cp -a "$FOLDER.old/." "$FOLDER"; head -c 10m /dev/zero >"$FOLDER/fill" 2>/dev/null
      "$NODE" "$PROGRAM" init --client droid --yes; code=$?
      cat "$HOME/.factory/settings.json" >"$HOME/settings"; find "$FOLDER" >"$HOME/left"; exit $code`
    mkdirSync(path, { recursive: true })
    const env = {
      ...{ HOME: home, PATH: process.env.PATH, FOLDER: path },
      ...{ NODE: process.execPath, PROGRAM: join(root, 'bin/hookbell') },
    }
    const words = ['--mount', 'sh', '-c', script]
    const { status, stderr } = spawnSync('unshare', words, { env, encoding: 'utf8' })
    const read = (name: string) => readFileSync(join(home, name), 'utf8')
    return { status, stderr, left: read('left'), settings: read('settings') }
  }

  it('reports that there is no room, and leaves the settings as they are', () => {
    const { status, stderr, settings, left } = initWith('.factory', '64k')
    expect({ status, settings }).toEqual({ status: 78, settings: model })
    expect(stderr).toMatch(/settings\.json: the file cannot be changed \(ENOSPC\)\n {2}There is no/)
    expect(left).not.toContain('settings.json.hookbell')
  })

  it('leaves no partial copy of the programs if there is no room for them', () => {
    const { status, stderr, settings, left } = initWith('.local/state/hookbell', '300k')
    expect({ status, settings }).toEqual({ status: 1, settings: model })
    expect(stderr).toMatch(/ENOSPC.*\n {2}The disk is full or read-only/)
    expect(left).not.toContain('runtime.')
  })
})

describe('init and the folders of hookbell', () => {
  it.each(['.config/hookbell', '.local/state/hookbell'])(
    'refuses %s when other users can write to it',
    async (name) => {
      const { home, run, read } = makeMachine()
      mkdirSync(join(home, name), { recursive: true })
      chmodSync(join(home, name), 0o777)
      await expect(run({ yes: true })).rejects.toMatchObject({
        hint: `Run: chmod go-w ${shellQuote(join(home, name))}`,
      })
      expect(read('.factory/settings.json')).toBe(model)
    },
  )

  it('stores the values of the variables named in the configuration for the worker', async () => {
    const { home, run, read } = makeMachine({
      '.factory/settings.json': model,
      '.config/hookbell/config.json': '{"env": ["TEAM_URL"]}',
    })
    chmodSync(join(home, '.config/hookbell/config.json'), 0o600)
    await run({ yes: true }, { env: { HOME: home, TEAM_URL: 'https://example.com/x', OTHER: '1' } })
    expect(JSON.parse(read('.local/state/hookbell/environment.json'))).toEqual({
      TEAM_URL: 'https://example.com/x',
    })
  })
})
