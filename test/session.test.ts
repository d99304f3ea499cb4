import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderTerminal } from '../scripts/terminal-svg.ts'
import { missingDesktopPrograms, startDesktop } from './support/desktop.ts'
import { root } from './support/home.ts'
import { hasTerminal } from './support/terminal.ts'

const images = join(root, 'docs/images')
const isRecording = process.env.HOOKBELL_RECORD === '1'
const isPossible = hasTerminal && missingDesktopPrograms().length === 0

const event = {
  hook_event_name: 'Notification',
  message: 'Droid needs your permission to run: npm publish',
  session_id: 'first-session',
  cwd: 'HOME/api-server',
}

/** The first session of a newcomer: what is typed, how it exits, and the lines that matter. */
const session: [typed: string, exitCode: number, lines: readonly RegExp[]][] = [
  ['hookbell init --client droid --yes', 0, [/^Wrote ~\/\.factory\/settings\.json/m]],
  [
    `echo '${JSON.stringify(event)}' | ~/.local/state/hookbell/hookbell-hook --client droid`,
    0,
    [/^$/],
  ],
  ['hookbell why last', 0, [/desktop/, /delivered/]],
  ['hookbell status', 0, [/^droid +registered in/m, /1 delivered/]],
  ['hookbell doctor', 0, [/client\.droid\.canary: \d+ ms, silent, exit 0/, /do-not-disturb: off/]],
  ['hookbell uninstall --yes', 0, [/settings\.json/]],
]

describe.skipIf(!isPossible)('the first session of a newcomer', () => {
  let desktop: Awaited<ReturnType<typeof startDesktop>>
  let home: string
  let env: Record<string, string>

  beforeAll(async () => {
    desktop = await startDesktop()
    home = join(desktop.env.HOME ?? '', 'me')
    mkdirSync(join(home, '.factory'), { recursive: true })
    mkdirSync(join(home, '.local/bin'), { recursive: true })
    symlinkSync(join(root, 'bin/hookbell'), join(home, '.local/bin/hookbell'))
    env = {
      ...desktop.env,
      HOME: home,
      TERM: 'xterm',
      SHELL: '/bin/sh',
      PATH: `${join(home, '.local/bin')}:${process.env.PATH}`,
      XDG_RUNTIME_DIR: join(home, '.run'),
    }
  })
  afterAll(() => desktop?.close())

  /** In a terminal of 88 columns. */
  async function type(typed: string) {
    const script = join(home, '.typed')
    writeFileSync(script, `stty cols 88 rows 40\ncd '${home}'\n${typed}\n`)
    const words = ['--quiet', '--return', '--command', `sh '${script}'`, '/dev/null']
    const options = { env, extendEnv: false, reject: false, input: '' } as const
    const { stdout, exitCode } = await execa('script', words, options)
    const text = stdout
      .replaceAll('\r\n', '\n')
      .replaceAll(home, '~')
      .replaceAll(dirname(home), '/run/user/1000')
    return { text, exitCode, plain: text.replace(/\u001b\[[\d;]*m/g, '') }
  }

  it('goes as it is recorded, from putting it in to taking it off again', async () => {
    const recorded: string[] = []
    for (const [typed, expected, lines] of session) {
      const { text, plain, exitCode } = await type(typed.replace('HOME', home))
      expect(exitCode, `${typed}\n${plain}`).toBe(expected)
      for (const line of lines) expect(plain).toMatch(line)
      const shownAs = typed.replace('HOME', '~')
      recorded.push(`\u001b[1;32m$\u001b[0m \u001b[1m${shownAs}\u001b[0m`, text.trimEnd(), '')
      if (typed.startsWith('echo')) await shown()
    }
    const left = join(home, '.local/state/hookbell')
    expect(existsSync(join(left, 'hookbell-hook'))).toBe(false)
    if (isRecording) record(recorded.filter((line, at) => line !== '' || recorded[at - 1] !== ''))
  })

  /** The notification that the event made, on the screen. */
  async function shown() {
    await expect.poll(() => desktop.notices.length, { timeout: 60_000 }).toBe(1)
    const settled = async () => (await type('hookbell log')).plain
    await expect.poll(settled, { timeout: 60_000 }).toContain('delivered')
    if (!isRecording) return
    const path = join(images, 'notification.png')
    await desktop.screenshot(path)
    const trim = ['-trim', '+repage', '-strip', '-colors', '32', path]
    await promisify(execFile)('convert', [path, ...trim])
  }

  function record(lines: readonly string[]) {
    mkdirSync(images, { recursive: true })
    writeFileSync(join(images, 'session.svg'), renderTerminal(lines.join('\n')))
  }
})
