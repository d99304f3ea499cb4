import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
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
import { makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { runCommand } from '../support/run-command.ts'

const isRoot = process.getuid?.() === 0
const isWindows = process.platform === 'win32'

/** In files outside of the repository. */
const SECRET = 'canary-4f81c0-outside'
/** In the user's secrets. */
const TOKEN = 'canary-9d27b3-token'

interface Place {
  /** Top folder of the hostile repository. */
  repo: string
  /** A project of the same user. */
  other: string
  /** A folder outside of both, with a file `secret`. */
  outside: string
  /** Nobody is ever to call it. */
  evil: string
  /** Nobody is ever to make it. */
  canary: string
  write(text: string | Buffer): void
  run(...words: string[]): Promise<{ stdout: string; stderr: string; exitCode?: number }>
}

/** @returns where the agent works, if that is not the top of the repository */
type Setup = (place: Place) => unknown

/**
 * A user with two projects, one of them hostile, whose agents both ask something at the same time.
 * The front door reads nothing of a repository: where only the text of the file differs, the worker alone is asked.
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
  if (throughDoor) await hook(home.env, hostile)
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

/** As an agent calls it: it gets its answer at once, and none that means anything. */
async function hook(env: Record<string, string | undefined>, payload: object) {
  const { exitCode, stdout } = await execa(
    process.execPath,
    [join(root, 'bin/hookbell'), 'hook', '--client', 'claude'],
    { env, extendEnv: false, input: JSON.stringify(payload), reject: false },
  )
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
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

/** What a file may say, and what it may not: without trust all of it is harmless. */
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
  ['variables of the shell', json({ env: ['HOME', 'PATH'] })],
  ['a folder of templates', ({ write, outside }) => write(JSON.stringify({ templates: outside }))],
  [
    'certificates',
    ({ write, outside }) => write(JSON.stringify({ extraCaFile: join(outside, 'secret') })),
  ],
  ['a retry policy', json({ retry: { maxAttempts: 1 } })],
  ['that rules are off', json({ noise: { off: ['repeats'] } })],
  ['quiet hours', json({ quietHours: [{ from: '00:00', to: '24:00' }] })],
  ['that it is trusted', json({ trusted: true, mute: ['permission'] })],
  ['mute of everything', json({ mute: true })],
  ['mute of questions', json({ mute: ['permission'] })],
  ['that no kind is told', json({ kinds: [] })],
  ['a condition that never holds', json({ when: { branch: ['no-such'] } })],
  ['a condition against everything', json({ not: { message: '.' } })],
  ['a pattern that takes for ever', json({ when: { message: '^(([a-z])+.)+[A-Z]([a-z])+$' } })],
  ['the longest minimum', json({ minSeconds: 1e6 })],
  ['the longest cooldown', json({ cooldownSeconds: 1e6 })],
  ['a negative minimum', json({ minSeconds: -1e9 })],
  ['a minimum beyond numbers', ({ write }) => write('{ "minSeconds": 1e999 }')],
  ['a minimum as a text', json({ minSeconds: '0; rm -rf /' })],
  ['a name with a reference', json({ name: `\${HOOK}{{ env.HOOK }}` })],
  ['a name that calls everybody', json({ name: '<!channel> <https://evil.example|ok>' })],
  ['a name that a terminal would obey', json({ name: '\u001b]0;x\u0007\u001b[2J\u202e' })],
  ['a name without end', json({ name: 'x'.repeat(60_000) })],
  ['a name of nothing visible', json({ name: '\u200b\n\t ' })],
  ['a key __proto__', ({ write }) => write('{ "__proto__": { "mute": true } }')],
  [
    'a key constructor',
    ({ write }) => write('{ "constructor": { "prototype": { "mute": true } } }'),
  ],
  ['the same key twice', ({ write }) => write('{ "mute": [], "mute": ["permission"] }')],
  ['brackets without end', ({ write }) => write('['.repeat(60_000))],
  ['objects without end', ({ write }) => write('{"a":'.repeat(12_000))],
  ['no JSON', ({ write }) => write('#!/bin/sh\ntouch canary\n')],
  ['invalid UTF-8', ({ write }) => write(Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x80, 0x7d]))],
  ['NUL bytes', ({ write }) => write('{ "name": "a\0b" }\0')],
  ['nothing', ({ write }) => write('')],
  ['a list', ({ write }) => write('[true]')],
]

/** What stands in the place of the file, and around it. */
const places: [string, Setup, boolean?][] = [
  ['more than a person writes', ({ write }) => write(`{ "mute": true }${' '.repeat(70_000)}`)],
  [
    'a file of a terabyte',
    ({ repo, write }) => {
      write('')
      truncateSync(join(repo, '.hookbell.json'), 2 ** 40)
    },
  ],
  ['a folder', ({ repo }) => mkdirSync(join(repo, '.hookbell.json'))],
  [
    'a pipe that nobody writes to',
    ({ repo }) => spawnSync('mkfifo', [join(repo, '.hookbell.json')]),
    isWindows,
  ],
  [
    'a socket',
    async ({ repo }) => {
      const server = createServer()
      await new Promise<void>((done) => server.listen(join(repo, '.hookbell.json'), done))
      onTestFinished(() => void server.close())
    },
    isWindows,
  ],
  ['a link to a file outside', link(({ outside }) => join(outside, 'secret'))],
  ['a link to the secrets', link(({ outside }) => join(outside, '../config/secrets.env'))],
  ['a link to a device', link(() => '/dev/zero'), isWindows],
  ['a link to itself', link(({ repo }) => join(repo, '.hookbell.json'))],
  ['a link to the terminal', link(() => '/dev/tty'), isWindows],
  [
    'a second name of the secrets',
    ({ repo, outside }) =>
      linkSync(join(outside, '../config/secrets.env'), join(repo, '.hookbell.json')),
  ],
  [
    'a file that may not be read',
    ({ repo, write }) => {
      write('{ "mute": true }')
      chmodSync(join(repo, '.hookbell.json'), 0)
    },
  ],
  [
    'a file of another user',
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
    'a working folder that is gone',
    ({ repo, write }) => {
      write('{ "mute": true }')
      return join(repo, 'no/such')
    },
  ],
  ['a working folder in /proc', () => '/proc/self/root', isWindows],
  [
    'a name that a shell would run',
    ({ repo, canary }) => {
      const folder = join(repo, `$(touch ${canary.replaceAll('/', '_')}); touch x\n\u001b[2J`)
      mkdirSync(join(folder, '.git'), { recursive: true })
      writeFileSync(join(folder, '.hookbell.json'), '{ "mute": true }')
      return folder
    },
    isWindows,
  ],
  [
    'folders that look like ours',
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
    'a list of trust of its own',
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
  ['the name of the other project', ({ write }) => write('{ "name": "api-server", "mute": true }')],
  [
    'the name of a project that the user muted',
    async ({ run, write }) => {
      await run('mute', '1h', '--project', 'scratch')
      write('{ "name": "scratch" }')
    },
  ],
  [
    'a project around the other one',
    ({ other, write }) => {
      write('{ "mute": ["permission"] }')
      writeFileSync(join(other, '../.hookbell.json'), '{ "mute": ["permission"] }')
    },
  ],
]

/** What was trusted once. */
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
  it.each(contents)('that says %s reaches nothing, and silences no question', async (_, setup) => {
    await askFromBoth(setup, { throughDoor: false })
  })

  for (const [name, setup, isSkipped] of places) {
    it.skipIf(isSkipped)(`that has ${name} reaches nothing, and silences no question`, async () => {
      await askFromBoth(setup)
    })
  }

  it.each(afterTrust)('that %s silences no question', async (_, setup) => {
    await askFromBoth(setup)
  })

  it('is shown with the name of its folder, whatever it calls itself', async () => {
    const { bodies } = await askFromBoth(json({ name: 'api-server' }))
    expect(bodies()).toContain('api-server (evil)')
  })
})

describe('a project file', () => {
  const done = { hook_event_name: 'Stop', notification_type: undefined, session_id: 's3' }

  it('mutes what is no question, of its own project alone, and why says so', async () => {
    const { home, repo, bodies, shown } = await askFromBoth(json({ mute: true }))
    expect(shown).toMatch(/muted here +\[.*"done"/)
    expect(shown).toMatch(/does not count +"mute of permission questions"/)
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

  it('counts in full once it is trusted, and no longer when it changes, which status tells', async () => {
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
    expect(stdout).toContain('/evil/.hookbell.json changed since you trusted it')
    expect(exitCode).toBe(1)
    expect((await home.run('trust', '--list')).stdout).toMatch(/^changed /)
    await ask('Q-changed')
    expect(bodies()).toContain('Q-changed')
    expect((await home.run('why')).stdout).toContain('it changed since it was trusted')
  })

  it('is not trusted by an agent', async () => {
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

  it.skipIf(isWindows)('is not trusted by a list that others can write', async () => {
    const { home, repo, bodies } = await askFromBoth(json({ mute: ['permission'] }))
    await home.run('trust', repo)
    chmodSync(join(home.state, 'trusted-projects.json'), 0o666)
    home.accept(question({ message: 'Q-again', session_id: 's9', cwd: repo }), 'claude')
    await home.run('worker', '--once')
    expect(bodies()).toContain('Q-again')
  })
})
