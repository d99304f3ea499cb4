import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SeedInput, startEmulator } from '../../src/emulator/index.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'
import { root } from '../support/home.ts'
import { pages } from '../support/pages.ts'
import { hasPty } from '../support/pty.ts'
import { CTRL_C, shellLinesOf, startShell, type Typed } from './_shell-page.ts'

type Shell = Awaited<ReturnType<typeof startShell>>

/** How a reader follows a page. */
interface Page {
  /** Prepares what the reader has besides a home. @returns additional environment variables */
  world?: () => Promise<Record<string, string | undefined>>
  /** Runs before the first line. */
  before?: (shell: Shell) => unknown
  /** Placeholders on the page, and their values here. */
  own?: (shell: Shell) => [written: string | RegExp, meant: string][]
  /** Runs the lines in the root of the repository. */
  inRoot?: boolean
  /** Answers and expectations for lines that begin with the key. */
  lines?: Record<string, Typed & { next?: (shell: Shell, text: string) => unknown }>
}

const yes: Typed = { answers: [[/\[Y\/n/, 'y\r']] }
/** Enter takes what a conversation proposes. */
const conversation: Typed = {
  answers: [
    [/Which agents/, '\r'],
    [/For which projects/, '\r'],
    [/How do you want/, '\r'],
    [/\[Y\/n/, 'y\r'],
    [/did you see/, 'y'],
  ],
}
const untilCtrlC = (seen: RegExp): Typed => ({ answers: [[seen, CTRL_C]], exitCodes: [130] })

/** On a busy machine, the front door may take more than a second, which is a warning with exit code 1. */
const doctor: Typed = { exitCodes: [0, 1] }

/** Lines that are not run here, and the reason. */
const notRun: Record<string, string> = {
  'npm ci && npm start': 'test/clone.test.ts runs it',
  'npm run build && npm install --global --prefix ~/.local .': 'test/clone.test.ts runs it',
  'npm pack && npm install --global --prefix ~/.local ./hookbell-*.tgz':
    'test/session.test.ts installs the tarball',
  'npm ci && npm test': 'runs this test',
  'npm run build && npx vitest run test/notifiers/index.test.ts':
    'replaces the build that the tests run',
  'npm run measure': 'CI runs it',
  'npm run bench': 'measures times; would disturb the tests that run in parallel',
  'npm run gen': 'writes into the repository; `npm test` compares what it would write',
  'npm run record': 'writes into the repository; test/session.test.ts runs the same session',
  'npm run format': 'writes into the repository; `npm test` checks the format',
}

const audit = {
  channels: { audit: { type: 'file', path: '~/audit.jsonl' } },
  routes: [{ on: ['*'], to: ['audit'] }],
}
const configure = async ({ type }: Shell) =>
  await type(
    `mkdir -p -m 700 ~/.config/hookbell && echo '${JSON.stringify(audit)}' >~/.config/hookbell/config.json`,
  )
const register = async (shell: Shell) => {
  await configure(shell)
  await shell.type('hookbell init --client droid --yes')
}

/** Runs the registered command, as an agent does. */
async function askPermission({ home, type, project }: Shell) {
  const settings = JSON.parse(readFileSync(join(home, '.factory/settings.json'), 'utf8'))
  const { command } = settings.hooks.Notification[0].hooks[0]
  const event = {
    hook_event_name: 'Notification',
    message: 'Droid needs your permission to run: ls',
  }
  const line = JSON.stringify({ ...event, session_id: '7f3a-1', cwd: project })
  expect(await type(`echo '${line}' | ${command}`)).toMatchObject({ exitCode: 0, text: '' })
  await expect.poll(async () => (await type('hookbell log')).text).toContain('delivered')
}

const ofTheApi: SeedInput = {
  computers: [{ id: 'comp_1', name: 'box', ownerId: 'user_ada' }],
  sessions: [{ id: 'sess_1', computerId: 'comp_1' }],
  serviceAccounts: [
    { id: 'sa_1', name: 'ci', keys: [{ id: 'key_1', name: 'deploy', value: 'key-of-ci' }] },
  ],
  agent: { instant: true },
}

async function withEmulator(seed = ofTheApi) {
  const emulator = await startEmulator({ seed })
  onTestFinished(() => emulator.close())
  return emulator.env
}

const withDesktop = async () => {
  const desktop = await startDesktop()
  onTestFinished(desktop.close)
  return desktop.env
}

const asTyped: Record<string, Page> = {
  'README.md': {
    world: async () => ({ ...(await withEmulator()), ...(await withDesktop()) }),
    before: ({ home }) => mkdirSync(join(home, '.factory')),
    own: () => [
      ['fk-…', '"$HOOKBELL_API_KEY"'],
      ['SESSION', 'sess_1'],
    ],
    lines: {
      'hookbell init': conversation,
      'hookbell test desktop': { next: askPermission },
      'hookbell doctor': doctor,
      'hookbell uninstall': yes,
    },
  },
  'CONTRIBUTING.md': { before: register, inRoot: true },
  'docs/api.md': {
    world: () => withEmulator(),
    before: ({ write }) =>
      write('limits.json', { users: [{ email: 'ada@example.com', limit: 5 }] }),
    own: () => [
      ['fk-…', '"$HOOKBELL_API_KEY"'],
      ['rotate …', 'rotate --service-account-id sa_1 --key-id key_1'],
    ],
    lines: {
      'hookbell api serviceAccounts': { answers: [[/\[y\/N\]/, 'y\r']] },
      'hookbell messages sess_1 --follow': untilCtrlC(/./),
    },
  },
  'docs/sessions.md': { lines: { 'hookbell sessions --watch': { answers: [[/q ends/, 'q']] } } },
  'docs/answers.md': { lines: { 'hookbell init': yes } },
  'docs/configuration.md': { before: configure },
  'docs/doctor.md': { before: register, lines: { 'hookbell doctor': doctor } },
  'docs/emulator.md': {
    world: () => withEmulator({ agent: { instant: true } }),
    own: ({ env }) => [
      ['URL=… ', `URL=${env.HOOKBELL_API_BASE_URL} `],
      ['URL=… ', `URL=${env.HOOKBELL_APP_BASE_URL} `],
      ['KEY=…', `KEY=${env.HOOKBELL_API_KEY}`],
    ],
    lines: { 'hookbell emulator': untilCtrlC(/"apiKey"/) },
  },
  'docs/install.md': {
    before: ({ home }) => mkdirSync(join(home, '.factory')),
    lines: {
      'hookbell init --client': yes,
      'hookbell uninstall': yes,
    },
  },
  'docs/seeing.md': {
    before: async (shell) => {
      await register(shell)
      shell.write('new.json', { routes: [{ on: ['*'], to: ['desktop'] }] })
      await askPermission(shell)
    },
    own: () => [
      [
        'log ID',
        'log "$(hookbell log --json | sed -n \'s/.*"id": "\\([^"]*\\).*/\\1/p\' | head -1)"',
      ],
    ],
    lines: { 'hookbell log --follow': untilCtrlC(/./) },
  },
}

const pagesWithLines = pages.filter((page) =>
  shellLinesOf(page).some((line) => notRun[line] === undefined),
)

describe.skipIf(!hasPty || missingDesktopPrograms().length > 0)('shell snippets', () => {
  it.each(pagesWithLines)('every line of %s runs in order', async (name) => {
    const page = asTyped[name] ?? {}
    const shell = await startShell(await page.world?.())
    await page.before?.(shell)
    for (const line of shellLinesOf(name)) {
      if (notRun[line] !== undefined) continue
      const meant = (page.own?.(shell) ?? []).reduce(
        (text, [from, to]) => text.replace(from, to),
        line,
      )
      const [, typed = {}] =
        Object.entries(page.lines ?? {}).find(([start]) => line.startsWith(start)) ?? []
      const { text, exitCode, unanswered } = await shell.type(
        meant,
        typed,
        page.inRoot ? root : shell.project,
      )
      expect({ line, exitCode, unanswered, text }).toEqual({
        ...{ line, text },
        exitCode: expect.toSatisfy((code) => (typed.exitCodes ?? [0]).includes(code)),
        unanswered: [],
      })
      await typed.next?.(shell, text)
    }
  })

  it('every line listed as not run exists on a page', () => {
    const all = pagesWithLines.concat('CONTRIBUTING.md').flatMap(shellLinesOf)
    expect(Object.keys(notRun).filter((line) => !all.includes(line))).toEqual([])
  })
})
