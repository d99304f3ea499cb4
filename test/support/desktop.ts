import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { takeMessages } from './desktop-monitor.ts'
import { removeFolder } from './folder.ts'

const run = promisify(execFile)

interface Notified {
  appName: string
  /** The id of the notification that it replaces; 0 for none. */
  replacesId: number
  /** Its name or path; '' for none. */
  icon: string
  title: string
  body: string
  hints: Record<string, unknown>
  expireMs: number
}

/** A bus without service activation, so that a notification daemon runs only if the test starts it. */
const makeBusConfig = (folder: string) => `<busconfig>
  <type>session</type>
  <listen>unix:dir=${inAddress(folder)}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`

const dunstrc = (markup: string) => `[global]
  width = 560
  height = 400
  font = DejaVu Sans Mono 10
  format = "<b>%s</b>\\n%b"
  markup = ${markup}
  notification_limit = 0
`

const programs = [
  'Xvfb',
  'dbus-daemon',
  'dbus-monitor',
  'dbus-send',
  'dunst',
  'notify-send',
  'import',
]

/** A path in an address of D-Bus, where a quote must be escaped, too. */
function inAddress(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/').replaceAll("'", '%27')
}

/** The programs of a test desktop that are missing here. On Debian: dunst xvfb dbus-x11 libnotify-bin imagemagick. */
export function missingDesktopPrograms(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))))
}

/** Starts a separate desktop: X server, session bus, notification daemon, and a monitor of its notifications. */
export async function startDesktop({ daemon = true, markup = 'full' } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'hookbell-desktop-'))
  const children: ChildProcess[] = []
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: home }
  const start = (file: string, args: string[], stdio: SpawnOptions['stdio'] = 'ignore') => {
    const child = spawn(file, args, { env, stdio })
    children.push(child)
    return child
  }
  const close = async () => {
    const [xvfb, ...others] = children
    for (const child of others.reverse()) child.kill('SIGKILL')
    // SIGTERM, because a killed X server leaves its socket in /tmp/.X11-unix.
    if (xvfb?.kill('SIGTERM')) await once(xvfb, 'exit')
    await removeFolder(home)
  }
  const withFd3: SpawnOptions['stdio'] = ['ignore', 'ignore', 'ignore', 'pipe']

  // Xvfb chooses a free display number. Another test may already use a fixed one.
  const xvfb = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1000x1300x24'], withFd3)
  env.DISPLAY = `:${await firstLine(xvfb.stdio[3] as Readable)}`
  const busConfig = join(home, 'bus.conf')
  await writeFile(busConfig, makeBusConfig(home))
  const busArgs = [`--config-file=${busConfig}`, '--nofork', '--print-address=3']
  const bus = start('dbus-daemon', busArgs, withFd3)
  env.DBUS_SESSION_BUS_ADDRESS = await firstLine(bus.stdio[3] as Readable)

  const notices: Notified[] = []
  const closed: unknown[][] = []
  let marks = 0
  const filter = "interface='org.freedesktop.Notifications'"
  const monitor = start('dbus-monitor', ['--binary', filter], ['ignore', 'pipe', 'ignore'])
  let rest: Buffer = Buffer.alloc(0)
  monitor.stdout?.on('data', (chunk: Buffer) => {
    const taken = takeMessages(Buffer.concat([rest, chunk]))
    rest = taken.rest
    for (const { member, args } of taken.messages) {
      if (member === 'Notify') notices.push(toNotified(args))
      if (member === 'NotificationClosed') closed.push(args)
      if (member === 'Mark') marks += 1
    }
  })
  const mark = () =>
    run('dbus-send', ['--type=signal', '/', 'org.freedesktop.Notifications.Mark'], { env })
  const hear = async () => {
    await mark()
    expect(marks).toBeGreaterThan(0)
  }
  await vi.waitFor(hear, { timeout: 600_000 })

  let dunst: ChildProcess | undefined
  if (daemon) {
    await writeFile(join(home, 'dunstrc'), dunstrc(markup))
    dunst = start('dunst', ['-conf', join(home, 'dunstrc')])
    await vi.waitFor(() => askOwner(env), { timeout: 600_000 })
  }

  /** Waits until the monitor has reported everything that was sent over the bus before. */
  const caughtUp = async () => {
    const before = marks
    await mark()
    await expect.poll(() => marks).toBeGreaterThan(before)
  }

  /** Saves the screen once it has stopped changing. */
  const screenshot = async (path: string) => {
    await mkdir(dirname(path), { recursive: true })
    let before = Buffer.alloc(0)
    await vi.waitFor(
      async () => {
        await run('import', ['-window', 'root', path], { env })
        const now = await readFile(path)
        const still = now.equals(before)
        before = now
        if (!still) throw new Error('the screen changes')
      },
      { timeout: 600_000, interval: 500 },
    )
  }
  return { env, notices, closed, caughtUp, screenshot, close, daemon: dunst }
}

function toNotified([
  appName,
  replacesId,
  icon,
  title,
  body,
  ,
  hints,
  expireMs,
]: unknown[]): Notified {
  return {
    appName: String(appName),
    replacesId: Number(replacesId),
    icon: String(icon),
    title: String(title),
    body: String(body),
    hints: Object.fromEntries(hints as [string, unknown][]),
    expireMs: Number(expireMs),
  }
}

async function firstLine(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += chunk
    if (text.includes('\n')) break
  }
  return text.trim()
}

/** Rejects as long as no notification daemon is on the bus. */
async function askOwner(env: Record<string, string>): Promise<void> {
  const call = 'org.freedesktop.DBus.GetNameOwner'
  const destination = '--dest=org.freedesktop.DBus'
  const name = 'string:org.freedesktop.Notifications'
  await run('dbus-send', ['--print-reply', destination, '/org/freedesktop/DBus', call, name], {
    env,
  })
}
