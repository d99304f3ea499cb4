import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingDesktopPrograms, startDesktop } from './support/desktop.ts'
import { makeFolder, removeFolder } from './support/folder.ts'
import { makeHome, root } from './support/home.ts'
import { type Part, renderMessage } from './support/message-svg.ts'
import { startReceiver } from './support/receiver.ts'
import { startRegistry } from './support/registry.ts'
import { shellQuote } from './support/shell-quote.ts'
import { hasTerminal } from './support/terminal.ts'
import { renderTerminal } from './support/terminal-svg.ts'

const images = join(root, 'docs/images')
const isRecording = process.env.HOOKBELL_RECORD === '1'
const isPossible = hasTerminal && missingDesktopPrograms().length === 0

const event = {
  hook_event_name: 'Notification',
  message: 'Droid needs your permission to run: npm publish',
  session_id: 'first-session',
  cwd: 'HOME/api-server',
}

/** The session: the command line, its exit code, and required lines of its output. */
const session: [typed: string, exitCode: number, lines: readonly RegExp[]][] = [
  ['npm install --global ./TARBALL', 0, [/^added \d+ packages/m]],
  ['hookbell init --client droid --yes', 0, [/^Wrote ~\/\.factory\/settings\.json/m]],
  [
    `echo '${JSON.stringify(event)}' | ~/.local/state/hookbell/hookbell-hook --client droid`,
    0,
    [/^$/],
  ],
  ['hookbell why last', 0, [/desktop/, /delivered/]],
  ['hookbell status', 0, [/^droid +registered in/m, /1 delivered/]],
  ['hookbell doctor', 0, [/^All is well, as far as can be told\. \d+ other checks: --verbose/]],
  ['hookbell uninstall --yes', 0, [/settings\.json/]],
  ['npm uninstall --global hookbell', 0, [/^removed \d+ packages/m]],
]

const COLUMNS = 88
const COLOURS = /\u001b\[[\d;]*m/g

let registry: Awaited<ReturnType<typeof startRegistry>>
let packed: string

beforeAll(async () => {
  packed = mkdtempSync(join(tmpdir(), 'hookbell-packed-'))
  registry = await startRegistry(packed)
})
afterAll(async () => {
  registry?.close()
  await removeFolder(packed)
})

/** The environment of a user with only npm, a private prefix and a registry on this machine. */
function makeEnv(home: string, env: Record<string, string> = {}): Record<string, string> {
  const prefix = join(home, '.local')
  return {
    ...env,
    HOME: home,
    TERM: 'xterm',
    SHELL: '/bin/sh',
    PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
    XDG_RUNTIME_DIR: join(home, '.run'),
    npm_config_registry: registry.url,
    npm_config_prefix: prefix,
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_progress: 'false',
  }
}

describe.skipIf(!isPossible)('the recorded first session', () => {
  let desktop: Awaited<ReturnType<typeof startDesktop>>
  let home: string
  let env: Record<string, string>

  beforeAll(async () => {
    desktop = await startDesktop()
    home = join(desktop.env.HOME ?? '', 'me')
    mkdirSync(join(home, '.factory'), { recursive: true })
    cpSync(registry.tarball, join(home, basename(registry.tarball)))
    env = makeEnv(home, desktop.env)
  })
  afterAll(() => desktop?.close())

  /** Runs a line in a terminal that is wide enough for the long path of this home. */
  async function type(typed: string) {
    const script = join(home, '.typed')
    writeFileSync(script, `stty cols 400 rows 40\ncd ${shellQuote(home)}\n${typed}\n`)
    const words = ['--quiet', '--return', '--command', `sh ${shellQuote(script)}`, '/dev/null']
    const options = { env, extendEnv: false, reject: false, input: '' } as const
    const { stdout, exitCode } = await execa('script', words, options)
    const text = stdout
      .replaceAll('\r\n', '\n')
      .replaceAll(home, '~')
      .replaceAll(dirname(home), '/run/user/1000')
    return { text, exitCode, plain: text.replace(COLOURS, '') }
  }

  it('runs as recorded, from the installation to the removal', async () => {
    const recorded: string[] = []
    for (const [line, expected, lines] of session) {
      const typed = line.replace('TARBALL', basename(registry.tarball))
      const { text, plain, exitCode } = await type(typed.replace('HOME', home))
      expect(exitCode, `${typed}\n${plain}`).toBe(expected)
      for (const line of lines) expect(plain).toMatch(line)
      const shownAs = typed.replace('HOME', '~')
      recorded.push(`\u001b[1;32m$\u001b[0m \u001b[1m${shownAs}\u001b[0m`, text.trimEnd(), '')
      if (typed.startsWith('hookbell init')) expect(registered()).toContain(frontDoor(home))
      if (typed.startsWith('echo')) await shown()
    }
    expect(existsSync(frontDoor(home))).toBe(false)
    expect(existsSync(join(home, '.local/lib/node_modules/hookbell'))).toBe(false)
    if (isRecording) record(recorded.filter((line, at) => line !== '' || recorded[at - 1] !== ''))
  })

  const registered = () => readFileSync(join(home, '.factory/settings.json'), 'utf8')

  /** Waits for the notification of the event on the screen. */
  async function shown() {
    await expect.poll(() => desktop.notices.length).toBe(1)
    const settled = async () => (await type('hookbell log')).plain
    await expect.poll(settled).toContain('delivered')
    if (!isRecording) return
    const path = join(images, 'notification.png')
    await desktop.screenshot(path)
    const trim = ['-trim', '+repage', '-strip', '-colors', '32', path]
    await promisify(execFile)('convert', [path, ...trim])
  }

  function record(lines: readonly string[]) {
    mkdirSync(images, { recursive: true })
    const text = lines
      .join('\n')
      .split('\n')
      .map((line) => fold(line, COLUMNS))
    writeFileSync(join(images, 'session.svg'), renderTerminal(text.join('\n'), COLUMNS))
  }
})

/** Wraps a line as hookbell would with a short home path. Colour codes precede the text that is broken. */
function fold(line: string, columns: number, indent = 0): string {
  const plain = line.replace(COLOURS, '')
  const cut = plain.lastIndexOf(' ', columns)
  if (plain.length <= columns || cut <= indent || plain.startsWith('$')) return line
  const next = indent || (/^\S+(?: \S+)* {2,}/.exec(plain)?.[0].length ?? 2)
  const start = line.slice(0, cut + line.length - plain.length)
  return `${start}\n${fold(' '.repeat(next) + plain.slice(cut + 1), columns, next)}`
}

const frontDoor = (home: string) => join(home, '.local/state/hookbell/hookbell-hook')

describe('a question away from the desktop', () => {
  it('reaches Slack and a phone with what is asked', async () => {
    const accepted = JSON.stringify({ id: 'x', event: 'message' })
    const [slack, phone] = [
      await startReceiver({ script: [{ status: 200, body: 'ok' }] }),
      await startReceiver({ script: [{ status: 200, body: accepted }] }),
    ]
    const home = await makeHome({
      channels: {
        slack: { type: 'slack', url: `${slack.url}/services/x` },
        phone: { type: 'ntfy', server: phone.url, topic: 't' },
      },
      routes: [{ on: ['permission'], to: ['slack', 'phone'] }],
      lingerSeconds: 0,
    })
    const input = { command: 'npm publish --access public', description: 'Publish the package' }
    const about = { session_id: '5e1b7c9a-3d2f-4c60-9b5c-6e7f1a2d3c4b', cwd: home.project }
    home.accept(
      { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: input, ...about },
      'claude',
    )
    await home.run('worker', '--once')
    const pictures = {
      slack: slackParts(JSON.parse(slack.received[0]?.body ?? '{}')),
      phone: phoneParts(JSON.parse(phone.received[0]?.body ?? '{}')),
    }
    for (const parts of Object.values(pictures)) {
      expect(parts[0]).toEqual({ style: 'title', text: 'Claude · api-server: permission needed' })
      expect(parts.map(({ text }) => text).join('\n')).toContain(input.command)
      expect(JSON.stringify(parts)).not.toMatch(/<!date|```/)
    }
    if (!isRecording) return
    for (const app of ['slack', 'phone'] as const) {
      const shown = pictures[app].map((part) => ({
        ...part,
        text: part.text.replaceAll(hostname(), 'laptop'),
      }))
      writeFileSync(join(images, `${app}.svg`), renderMessage(app, shown))
    }
  })

  interface Block {
    type: string
    text?: { text: string }
    elements?: { text: string }[]
  }

  /** The blocks of a message, as Slack shows them. */
  function slackParts({ blocks = [] }: { blocks?: Block[] }): Part[] {
    return blocks.flatMap(({ type, text, elements = [] }): Part[] => {
      if (type === 'header') return [{ style: 'title', text: text?.text ?? '' }]
      if (type === 'context') {
        const words = elements.map((one) => one.text).join('  ')
        return [{ style: 'small', text: words.replaceAll(/<!date\^[^|>]*\|([^>]*)>/g, '$1') }]
      }
      return (text?.text ?? '').split(/```\n?/).map((part, at) => {
        const plain = part.trimEnd().replaceAll(/[*`]/g, '')
        return at % 2 === 1 ? { style: 'code', text: plain } : { style: 'text', text: plain.trim() }
      })
    })
  }

  function phoneParts({ title = '', message = '' }: { title?: string; message?: string }): Part[] {
    const [body = '', origin = ''] = message.split('\n\n')
    return [
      { style: 'title', text: title },
      { style: 'text', text: body },
      { style: 'small', text: origin },
    ]
  }
})

describe.skipIf(process.platform === 'win32')('the next command that the demo prints', () => {
  const runIn =
    (home: string, cwd = home) =>
    (line: string, input = '') =>
      execa('sh', ['-c', line], {
        ...{ cwd, input, env: makeEnv(home), extendEnv: false, reject: false },
      })

  /** Runs the lines in a shell, and then the next command that the last one prints. */
  async function follow(lines: string[], home: string, cwd = home) {
    const run = runIn(home, cwd)
    let said = ''
    for (const line of lines) {
      const { stdout, stderr, exitCode } = await run(line)
      expect(exitCode, `${line}\n${stderr}`).toBe(0)
      said = stdout
    }
    const next = said.trimEnd().split('\n').at(-1)?.trim() ?? ''
    const { stdout, stderr, exitCode } = await run(`${next} --client droid --yes`)
    expect(exitCode, `${next}\n${stderr}`).toBe(0)
    expect(stdout).toContain(`Wrote ${join(home, '.factory/settings.json')}`)
    expect(existsSync(frontDoor(home))).toBe(true)
    // The next command that init prints in turn is a test of a channel.
    const test = stdout.trimEnd().split('\n').at(-1)?.trim() ?? ''
    expect(test).toBe(next.replace(/init$/, 'test desktop'))
    expect((await run(test)).stderr).toContain('desktop: unavailable: ')
    return next
  }

  it('works after npx', async () => {
    const next = await follow(['npx --yes hookbell demo'], await makeFolder())
    expect(next).toBe('npx hookbell init')
  })

  it('works after npx of the packed file', async () => {
    const home = await makeFolder()
    const name = basename(registry.tarball)
    cpSync(registry.tarball, join(home, name))
    expect(await follow([`npx --yes ./${name} demo`], home)).toBe(`npx ./${name} init`)
  })

  it('works after npm install --global; the hooks are harmless without it, and npx can uninstall them', async () => {
    const home = await makeFolder()
    const next = await follow(['npm install --global hookbell', 'hookbell demo'], home)
    expect(next).toBe('hookbell init')
    const run = runIn(home)
    expect((await run('npm uninstall --global hookbell')).exitCode).toBe(0)
    const settings = join(home, '.factory/settings.json')
    const [{ command }] = JSON.parse(readFileSync(settings, 'utf8')).hooks.Stop[0].hooks
    const fired = await run(command, '{"hook_event_name":"Stop"}')
    expect(fired).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
    const { stdout, exitCode } = await run('npx --yes hookbell uninstall --yes')
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(existsSync(settings)).toBe(false)
    expect(existsSync(frontDoor(home))).toBe(false)
    // A running session still calls the front door.
    expect(await run(command, '{}')).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
  })
})
