import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Home, makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { runCommand } from '../support/run-command.ts'

const isRoot = process.getuid?.() === 0
const isWindows = process.platform === 'win32'

/** The content of files outside of the repository. */
const SECRET = 'canary-4f81c0-outside'
/** The value of one of the user's secrets. */
const TOKEN = 'canary-9d27b3-token'

interface Place {
  /** The root of the hostile repository. */
  repo: string
  /** A project of the same user. */
  other: string
  /** A folder outside of both, with a file `secret`. */
  outside: string
  /** URL of a server that must receive no request. */
  evil: string
  /** Path of a file that must never be created. */
  canary: string
  write(text: string | Buffer): void
  run(...words: string[]): Promise<{ stdout: string; stderr: string; exitCode?: number }>
}

/** @returns the working folder of the agent, if that is not the root of the repository */
type Setup = (place: Place) => unknown

/**
 * A user with two projects, one of them hostile, whose agents both ask a question at the same time.
 * The front door reads nothing from a repository: if only the text of the file differs, the worker alone is run.
 */
async function askFromBoth(setup: Setup, { throughDoor = true } = {}) {
  const [receiver, evil] = [await startReceiver(), await startReceiver()]
  const home = await makeHome({
    channels: { team: { type: 'slack', url: `${receiver.url}/services/\${HOOK}` } },
    routes: [{ on: ['*'], to: ['team'] }],
    lingerSeconds: 0,
  })
  writeFileSync(join(home.home, 'config/secrets.env'), `HOOK=${TOKEN}\n`, { mode: 0o600 })
  const [repo, outside] = [join(home.home, 'evil'), join(home.home, 'outside')]
  for (const path of [repo, outside, join(repo, '.git')]) mkdirSync(path)
  writeFileSync(join(outside, 'secret'), `{ "name": "${SECRET}", "mute": true }`, { mode: 0o600 })
  const canary = join(home.home, 'canary')
  const cwd = await setup({
    ...{ repo, outside, canary, other: home.project, evil: evil.url },
    write: (text) => writeFileSync(join(repo, '.hookbell.json'), text),
    run: home.run,
  })
  const before = listing(outside)
  const where = typeof cwd === 'string' ? cwd : repo
  home.accept(question({ message: 'Q-other', session_id: 's2', cwd: home.project }), 'claude')
  const hostile = question({ message: 'Q-hostile', session_id: 's1', cwd: where })
  if (throughDoor) hook(home, hostile)
  else {
    home.accept(hostile, 'claude')
    await home.run('worker', '--once')
  }
  const bodies = () => receiver.received.map(({ body }) => body).join('\n')
  await expect.poll(bodies).toContain('Q-other')
  await expect.poll(bodies).toContain('Q-hostile')
  await expect.poll(() => existsSync(join(home.state, 'worker.lock'))).toBe(false)
  const shownIn = existsSync(where) ? where : home.home
  const shown = await runCommand(['config', 'show'], { env: home.env, cwd: shownIn })
  expect(evil.received).toEqual([])
  expect(existsSync(canary)).toBe(false)
  expect(listing(outside)).toEqual(before)
  const seen = `${bodies()}${shown.stdout}${shown.stderr}${textsIn(home.state)}`
  expect(seen).not.toContain(SECRET)
  expect(seen).not.toContain(TOKEN)
  expect(receiver.received.every(({ path }) => path === `/services/${TOKEN}`)).toBe(true)
  return { home, bodies, shown: shown.stdout, repo }
}

function question(event: object) {
  return {
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    ...event,
  }
}

/**
 * Calls the hook as an agent does: it exits with 0 and prints nothing. Its stdin is a file, because a hook gives up after
 * a second without input, and on a busy machine this process may write later than that.
 */
function hook({ home, env }: Home, payload: object) {
  const path = join(home, 'payload')
  writeFileSync(path, JSON.stringify(payload))
  const stdin = openSync(path, 'r')
  const argv = [join(root, 'bin/hookbell'), 'hook', '--client', 'claude']
  const { status, stdout } = spawnSync(process.execPath, argv, { env, stdio: [stdin, 'pipe'] })
  closeSync(stdin)
  expect({ status, stdout: String(stdout) }).toEqual({ status: 0, stdout: '' })
}

function listing(folder: string): string[] {
  return readdirSync(folder).map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`)
}

function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'))
    .join('\n')
}

const json =
  (value: object): Setup =>
  ({ write }) =>
    write(JSON.stringify(value))

const link =
  (to: (place: Place) => string): Setup =>
  (place) =>
    symlinkSync(to(place), join(place.repo, '.hookbell.json'))

/** Allowed and forbidden contents of a project file: without trust, none of them does harm. */
const contents: [string, Setup][] = [
  [
    'a destination',
    ({ write, evil }) =>
      write(JSON.stringify({ channels: { team: { type: 'slack', url: evil } } })),
  ],
  [
    'a webhook',
    ({ write, evil }) =>
      write(
        JSON.stringify({
          channels: { x: { type: 'webhook', url: evil } },
          routes: [{ on: ['*'], to: ['x'] }],
        }),
      ),
  ],
  [
    'a program as a channel',
    ({ write, canary }) =>
      write(
        JSON.stringify({ channels: { x: { type: 'command', argv: ['/usr/bin/touch', canary] } } }),
      ),
  ],
  [
    'a program as a secret',
    ({ write, canary }) => write(JSON.stringify({ secrets: { HOOK: ['/usr/bin/touch', canary] } })),
  ],
  [
    'a file as a channel',
    ({ write, canary }) =>
      write(JSON.stringify({ channels: { x: { type: 'file', path: canary } } })),
  ],
  ['routes', json({ routes: [{ on: ['*'], to: [] }] })],
  ['environment variables', json({ env: ['HOME', 'PATH'] })],
  ['a folder of templates', ({ write, outside }) => write(JSON.stringify({ templates: outside }))],
  [
    'certificates',
    ({ write, outside }) => write(JSON.stringify({ extraCaFile: join(outside, 'secret') })),
  ],
  ['a retry policy', json({ retry: { maxAttempts: 1 } })],
  ['a switch that turns rules off', json({ noise: { off: ['repeats'] } })],
  ['quiet hours', json({ quietHours: [{ from: '00:00', to: '24:00' }] })],
  ['a claim to be trusted', json({ trusted: true, mute: ['permission'] })],
  ['mute of everything', json({ mute: true })],
  ['mute of questions', json({ mute: ['permission'] })],
  ['an empty list of kinds', json({ kinds: [] })],
  ['a condition that never holds', json({ when: { branch: ['no-such'] } })],
  ['a condition that excludes everything', json({ not: { message: '.' } })],
  [
    'a pattern with catastrophic backtracking',
    json({ when: { message: '^(([a-z])+.)+[A-Z]([a-z])+$' } }),
  ],
  ['the longest minimum', json({ minSeconds: 1e6 })],
  ['the longest cooldown', json({ cooldownSeconds: 1e6 })],
  ['a negative minimum', json({ minSeconds: -1e9 })],
  ['an infinite minimum', ({ write }) => write('{ "minSeconds": 1e999 }')],
  ['a minimum as a text', json({ minSeconds: '0; rm -rf /' })],
  ['a name that refers to a secret', json({ name: `\${HOOK}{{ env.HOOK }}` })],
  ['a name that mentions everybody', json({ name: '<!channel> <https://evil.example|ok>' })],
  ['a name with terminal control sequences', json({ name: '\u001b]0;x\u0007\u001b[2J\u202e' })],
  ['a very long name', json({ name: 'x'.repeat(60_000) })],
  ['a name without visible characters', json({ name: '\u200b\n\t ' })],
  ['a key __proto__', ({ write }) => write('{ "__proto__": { "mute": true } }')],
  [
    'a key constructor',
    ({ write }) => write('{ "constructor": { "prototype": { "mute": true } } }'),
  ],
  ['the same key twice', ({ write }) => write('{ "mute": [], "mute": ["permission"] }')],
  ['thousands of unclosed brackets', ({ write }) => write('['.repeat(60_000))],
  ['thousands of unclosed objects', ({ write }) => write('{"a":'.repeat(12_000))],
  ['no JSON', ({ write }) => write('#!/bin/sh\ntouch canary\n')],
  ['invalid UTF-8', ({ write }) => write(Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x80, 0x7d]))],
  ['NUL bytes', ({ write }) => write('{ "name": "a\0b" }\0')],
  ['nothing', ({ write }) => write('')],
  ['a list', ({ write }) => write('[true]')],
]

/** Objects in place of the project file, and hostile surroundings. */
const places: [string, Setup, boolean?][] = [
  ['a project file of 70 kB', ({ write }) => write(`{ "mute": true }${' '.repeat(70_000)}`)],
  [
    'a project file of a terabyte',
    ({ repo, write }) => {
      write('')
      truncateSync(join(repo, '.hookbell.json'), 2 ** 40)
    },
  ],
  ['a folder as its project file', ({ repo }) => mkdirSync(join(repo, '.hookbell.json'))],
  [
    'a pipe without a writer as its project file',
    ({ repo }) => spawnSync('mkfifo', [join(repo, '.hookbell.json')]),
    isWindows,
  ],
  [
    'a socket as its project file',
    async ({ repo }) => {
      const server = createServer()
      await new Promise<void>((done) => server.listen(join(repo, '.hookbell.json'), done))
      onTestFinished(() => void server.close())
    },
    isWindows,
  ],
  ['a link to a file outside as its project file', link(({ outside }) => join(outside, 'secret'))],
  [
    'a link to the secrets as its project file',
    link(({ outside }) => join(outside, '../config/secrets.env')),
  ],
  ['a link to a device as its project file', link(() => '/dev/zero'), isWindows],
  ['a link to itself as its project file', link(({ repo }) => join(repo, '.hookbell.json'))],
  ['a link to the terminal as its project file', link(() => '/dev/tty'), isWindows],
  [
    'a hard link to the secrets as its project file',
    ({ repo, outside }) =>
      linkSync(join(outside, '../config/secrets.env'), join(repo, '.hookbell.json')),
  ],
  [
    'an unreadable project file',
    ({ repo, write }) => {
      write('{ "mute": true }')
      chmodSync(join(repo, '.hookbell.json'), 0)
    },
  ],
  [
    'a project file of another user',
    ({ repo, write }) => {
      write('{ "mute": true }')
      chownSync(join(repo, '.hookbell.json'), 54_321, 54_321)
    },
    !isRoot,
  ],
  [
    'a .git that names a folder outside',
    ({ repo, outside, write }) => {
      rmSync(join(repo, '.git'), { recursive: true })
      writeFileSync(join(repo, '.git'), `gitdir: ${outside}\n`)
      writeFileSync(join(outside, 'HEAD'), `${SECRET}\n`)
      write('{ "mute": true }')
    },
  ],
  [
    'a .git that is a link',
    ({ repo, other, write }) => {
      rmSync(join(repo, '.git'), { recursive: true })
      symlinkSync(join(other, '.git'), join(repo, '.git'))
      write('{ "mute": ["permission"] }')
    },
  ],
  [
    'a link as the working folder',
    ({ repo, outside, write }) => {
      write('{ "mute": ["permission"] }')
      symlinkSync(repo, join(outside, 'shortcut'))
      return join(outside, 'shortcut')
    },
  ],
  [
    'a working folder that does not exist',
    ({ repo, write }) => {
      write('{ "mute": true }')
      return join(repo, 'no/such')
    },
  ],
  ['a working folder in /proc', () => '/proc/self/root', isWindows],
  [
    'a folder name with shell commands',
    ({ repo, canary }) => {
      const folder = join(repo, `$(touch ${canary.replaceAll('/', '_')}); touch x\n\u001b[2J`)
      mkdirSync(join(folder, '.git'), { recursive: true })
      writeFileSync(join(folder, '.hookbell.json'), '{ "mute": true }')
      return folder
    },
    isWindows,
  ],
  [
    'configuration folders like ours',
    ({ repo, evil, write }) => {
      const config = JSON.stringify({ channels: { team: { type: 'slack', url: evil } } })
      for (const folder of ['.config/hookbell', 'config', '.hookbell']) {
        mkdirSync(join(repo, folder), { recursive: true })
        writeFileSync(join(repo, folder, 'config.json'), config)
        writeFileSync(join(repo, folder, 'secrets.env'), 'HOOK=evil\n')
      }
      write(config)
    },
  ],
  [
    'its own list of trusted projects',
    ({ repo, write }) => {
      write('{ "mute": ["permission"] }')
      const project = { root: repo, owner: process.getuid?.(), hash: '*', at: 1 }
      const list = JSON.stringify({ format: 1, projects: [project] })
      for (const folder of ['state', '.git']) {
        mkdirSync(join(repo, folder), { recursive: true })
        writeFileSync(join(repo, folder, 'trusted-projects.json'), list)
      }
    },
  ],
  [
    'a project file with the name of the other project',
    ({ write }) => write('{ "name": "api-server", "mute": true }'),
  ],
  [
    'a project file with the name of a muted project',
    async ({ run, write }) => {
      await run('mute', '1h', '--project', 'scratch')
      write('{ "name": "scratch" }')
    },
  ],
  [
    'a project file in a parent folder of the other project',
    ({ other, write }) => {
      write('{ "mute": ["permission"] }')
      writeFileSync(join(other, '../.hookbell.json'), '{ "mute": ["permission"] }')
    },
  ],
]

/** Projects that were trusted at one time. */
const afterTrust: [string, Setup][] = [
  [
    'was changed after it was trusted',
    async ({ run, repo, write }) => {
      write('{ "name": "shop" }')
      await run('trust', repo)
      write('{ "name": "shop", "mute": ["permission"] }')
    },
  ],
  [
    'was moved after it was trusted',
    async ({ run, repo, write }) => {
      write('{ "mute": ["permission"] }')
      await run('trust', repo)
      renameSync(repo, `${repo}-moved`)
      return `${repo}-moved`
    },
  ],
  [
    'became a link after it was trusted',
    async ({ run, repo, write }) => {
      write('{ "mute": ["permission"] }')
      await run('trust', repo)
      renameSync(join(repo, '.hookbell.json'), join(repo, 'same.json'))
      symlinkSync('same.json', join(repo, '.hookbell.json'))
    },
  ],
  [
    'is trusted no longer',
    async ({ run, repo, write }) => {
      write('{ "mute": ["permission"] }')
      await run('trust', repo)
      await run('trust', '--remove', repo)
    },
  ],
  [
    'asks for a destination, and a person tried to trust it',
    async ({ run, repo, write, evil }) => {
      write(JSON.stringify({ mute: ['permission'], channels: { x: { type: 'slack', url: evil } } }))
      expect((await run('trust', repo)).exitCode).toBe(78)
    },
  ],
]

describe('a hostile repository', () => {
  it.each(contents)(
    'whose project file contains %s neither leaks data nor silences a question',
    async (_, setup) => {
      await askFromBoth(setup, { throughDoor: false })
    },
  )

  for (const [name, setup, isSkipped] of places) {
    it.skipIf(isSkipped)(
      `that has ${name} neither leaks data nor silences a question`,
      async () => {
        await askFromBoth(setup)
      },
    )
  }

  it.each(afterTrust)('that %s silences no question', async (_, setup) => {
    await askFromBoth(setup)
  })

  it('is shown with the name of its folder when it uses the name of another project', async () => {
    const { bodies } = await askFromBoth(json({ name: 'api-server' }))
    expect(bodies()).toContain('api-server (evil)')
  })
})

describe('a project file', () => {
  const done = { hook_event_name: 'Stop', notification_type: undefined, session_id: 's3' }

  it('mutes only its own project and no questions, as `why` explains', async () => {
    const { home, repo, bodies, shown } = await askFromBoth(json({ mute: true }))
    expect(shown).toMatch(/muted here +\.hookbell\.json \(untrusted\) +\[.*"done"/)
    expect(shown).toMatch(
      /does not count +\.hookbell\.json \(untrusted\) +"mute of permission questions"/,
    )
    home.accept({ ...done, last_assistant_message: 'D-hostile', cwd: repo }, 'claude')
    await home.run('worker', '--once')
    const { stdout } = await home.run('why')
    expect(stdout).toMatch(
      /team +suppressed by the rule project-file: muted by \.hookbell\.json in /,
    )
    expect(stdout).toMatch(/project file +ignored: mute of permission questions \(hookbell trust\)/)
    home.accept(
      { ...done, session_id: 's4', last_assistant_message: 'D-other', cwd: home.project },
      'claude',
    )
    await home.run('worker', '--once')
    expect(bodies()).toContain('D-other')
    expect(bodies()).not.toContain('D-hostile')
  })

  it('counts in full once it is trusted, until it changes, which `status` reports', async () => {
    const { home, repo, bodies } = await askFromBoth(json({ kinds: ['done'], name: 'shop' }))
    const trusted = await home.run('trust', repo)
    expect(trusted.stdout).toMatch(
      /^Trusted until it changes: .*\/evil\/\.hookbell\.json\n {2}name /,
    )
    expect((await home.run('trust', '--list')).stdout).toMatch(/^trusted {2}\/.*\/evil$/)
    const ask = async (message: string) => {
      home.accept(question({ message, session_id: message, cwd: repo }), 'claude')
      await home.run('worker', '--once')
    }
    await ask('Q-trusted')
    expect(bodies()).not.toContain('Q-trusted')
    expect((await home.run('why')).stdout).toContain('muted by .hookbell.json in ')
    expect((await home.run('status')).exitCode).toBe(0)
    writeFileSync(join(repo, '.hookbell.json'), '{ "kinds": ["done"], "name": "shop2" }')
    const { stdout, exitCode } = await home.run('status')
    expect(stdout).toMatch(
      /\/evil\/.hookbell.json changed since you trusted it\. .* trust '.*\/evil'$/m,
    )
    expect(exitCode).toBe(1)
    expect((await home.run('trust', '--list')).stdout).toMatch(/^changed /)
    await ask('Q-changed')
    expect(bodies()).toContain('Q-changed')
    expect((await home.run('why')).stdout).toContain('it changed since it was trusted')
  })

  it.each([
    ['when', { client: ['codex'] }],
    ['not', { client: ['claude'] }],
  ])('excludes events by `%s` only once it is trusted', async (name, conditions) => {
    // While the file is not trusted, its conditions do not keep a question from being sent.
    const { home, repo, bodies } = await askFromBoth(json({ [name]: conditions }))
    await home.run('trust', repo)
    home.accept(question({ message: 'Q-excluded', session_id: 's9', cwd: repo }), 'claude')
    await home.run('worker', '--once')
    expect(bodies()).not.toContain('Q-excluded')
    const { stdout } = await home.run('why')
    expect(stdout).toMatch(new RegExp(`the rule project-file: .*/evil: ${name} `))
  })

  it('cannot be trusted from within an agent session', async () => {
    const { home, repo } = await askFromBoth(json({ mute: ['permission'] }))
    const { stderr, exitCode } = await execa(
      process.execPath,
      [join(root, 'bin/hookbell'), 'trust', repo],
      { env: { ...home.env, CLAUDECODE: '1' }, extendEnv: false, reject: false },
    )
    expect(stderr).toContain('trust: not in the session of an agent')
    expect(exitCode).toBe(77)
    expect((await home.run('trust', '--list')).stdout).toBe('No project is trusted')
  })

  it.skipIf(isWindows)(
    'is not trusted if others can write the list of trusted projects',
    async () => {
      const { home, repo, bodies } = await askFromBoth(json({ mute: ['permission'] }))
      await home.run('trust', repo)
      chmodSync(join(home.state, 'trusted-projects.json'), 0o666)
      home.accept(question({ message: 'Q-again', session_id: 's9', cwd: repo }), 'claude')
      await home.run('worker', '--once')
      expect(bodies()).toContain('Q-again')
    },
  )
})
