import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { fallbackStateDir } from '../../src/config/paths.ts'
import { installFrontDoor } from '../../src/install/front-door.ts'
import { packageRoot, packageVersion } from '../../src/package-root.ts'
import { parseSpoolFile } from '../../src/spool/event-file.ts'
import { ownerToken, thisProcess } from '../../src/spool/lock/owner.ts'
import { removeFolder } from '../support/folder.ts'
import { shellQuote } from '../support/shell-quote.ts'

/** One implementation of the front door, and the command line with which a client starts it. */
export interface Door {
  name: string
  /** @param changes to a copy of the one in sh. The one in Node.js keeps its deadline if there are any, even none */
  argv(home: Home, changes?: Changes): Promise<string[]>
  isNode: boolean
  /** Whether it is a copy into which `init` has written the path of the state folder. */
  isInstalled: boolean
}

/** Replacements in the text of a front door in sh. */
type Changes = readonly (readonly [before: string, after: string])[]

/** The line by which a front door waits for its agent, until its deadline. */
export const UNTIL_DEADLINE = 'if [ "$looks" -lt 10 ]; then'
/** The limit of its patience with a reader that gets no processor time. */
export const UNTIL_READER_RUNS = '[ "$looks" -ge 40 ] ||'
/** Waits as long as the front door itself lives. */
const FOR_EVER = 'if kill -0 $$; then'
/** Without a deadline, it makes no difference how busy the machine is. */
const patient: Changes = [
  [UNTIL_DEADLINE, FOR_EVER],
  ['elif [ "$looks" -ge 20 ]; then', 'elif ! kill -0 $$; then'],
]

const root = packageRoot()

/** The installed shells, with their options, that the front door in sh is tested with. */
export const shells = [
  'dash',
  'bash --posix',
  'busybox ash',
  'ksh93',
  'mksh',
  'yash',
  'zsh --emulate sh',
].filter((shell) => pathOf(shell.split(' ')[0] ?? ''))

export function pathOf(program: string): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' })
  return stdout.trim() || undefined
}

export const shDoor: Door = {
  name: 'bin/hookbell-hook',
  isNode: false,
  isInstalled: false,
  async argv(home, changes = patient) {
    const original = join(root, 'bin/hookbell-hook')
    if (changes.length === 0) return [original]
    const copy = join(home.folder, 'package/bin/hookbell-hook')
    if (!existsSync(copy)) {
      mkdirSync(dirname(copy), { recursive: true })
      cpSync(original, copy)
      // It looks for the worker beside itself.
      symlinkSync(join(root, 'dist'), join(home.folder, 'package/dist'))
    }
    return [change(copy, changes)]
  },
}

export const nodeDoor: Door = {
  name: 'dist/hook.cjs',
  isNode: true,
  isInstalled: false,
  argv: async (_, changes) => nodeArgv(join(root, 'dist/hook.cjs'), changes),
}

export const installedDoor: Door = {
  name: 'the installed copy',
  isNode: false,
  isInstalled: true,
  async argv(home, changes = patient) {
    const { state, config, folder, env } = home
    const path = join(state, 'hookbell-hook')
    // `init` pins these paths in the copy.
    vi.stubEnv('HOOKBELL_CONFIG_DIR', config)
    vi.stubEnv('XDG_RUNTIME_DIR', env.XDG_RUNTIME_DIR)
    vi.stubEnv('HOME', folder)
    for (const name of ['LANG', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'LC_TIME', 'TZ'])
      vi.stubEnv(name, undefined)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    await install(path, state)
    return [change(path, changes)]
  },
}

/** The copy that `init` installs on systems without sh, such as Windows. */
export const installedNodeDoor: Door = {
  name: 'the installed copy in Node.js',
  isNode: true,
  isInstalled: true,
  async argv(home, changes) {
    await installedDoor.argv(home, changes)
    return nodeArgv(join(home.state, 'runtime/dist/hook.cjs'), changes)
  },
}

/** By path: the copies that are being installed. Front doors that start at the same time share one. */
const installs = new Map<string, Promise<unknown>>()

async function install(path: string, stateDir: string) {
  if (!installs.has(path) && existsSync(path)) return
  const running = installs.get(path) ?? installFrontDoor({ stateDir })
  installs.set(path, running)
  await running
  installs.delete(path)
}

/** Changes the file, unless it has been changed like this before: a shell may be reading it. @returns its path */
function change(path: string, changes: Changes): string {
  const original = readFileSync(path, 'utf8')
  let text = original
  if (changes.length === 0 && text.includes(FOR_EVER)) throw new Error(`${path} has no deadline`)
  for (const [before, after] of changes) {
    if (text.includes(after)) continue
    if (!text.includes(before)) throw new Error(`${path} has no ${before}`)
    text = text.replace(before, () => after)
  }
  if (text !== original) writeFileSync(path, text)
  return path
}

function nodeArgv(script: string, changes?: Changes): string[] {
  const clock = ['--require', join(root, 'test/hook/_slow-clock.cjs')]
  return [process.execPath, ...(changes ? [] : clock), script]
}

/** Puts programs before those of the system. @returns the change that lets the front door in sh use them */
export function shadow({ folder }: Home, programs: Readonly<Record<string, string>>) {
  const path = join(folder, 'programs')
  mkdirSync(path)
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return ['system_path=/', `system_path=${path}:/`] as const
}

export interface Home {
  folder: string
  state: string
  config: string
  /** The file of the `file` channel in the default configuration. */
  audit: string
  env: NodeJS.ProcessEnv
}

/** Makes a user with their own spool. `holdsWorkerBack`: events stay in new/, where the test can read them. */
export function makeHome({ holdsWorkerBack = true, config = {} } = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-door-'))
  chmodSync(folder, 0o755)
  const state = join(folder, 'state')
  const home = { folder, state, config: join(folder, 'config'), audit: join(folder, 'audit.jsonl') }
  mkdirSync(state, { mode: 0o700 })
  mkdirSync(home.config, { mode: 0o700 })
  const channels = { audit: { type: 'file', path: home.audit } }
  const routes = [{ on: ['*'], to: ['audit'] }]
  const written = { lingerSeconds: 0, channels, routes, ...config }
  writeFileSync(join(home.config, 'config.json'), JSON.stringify(written))
  if (holdsWorkerBack) pretendWarmWorker(state)
  onTestFinished(() => removeFolder(folder))
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    HOOKBELL_STATE_DIR: state,
    HOOKBELL_CONFIG_DIR: home.config,
    // The fallback folder must not be in the runtime folder of the person who runs the tests.
    XDG_RUNTIME_DIR: join(folder, 'run'),
  }
  return { ...home, env }
}

/** The fallback folder for a state folder that cannot be written. */
export function fallbackOf({ state, env }: Home): string {
  return fallbackStateDir(state, env)
}

/** Writes a lock of this test process, which the front door takes for a running worker. */
export function pretendWarmWorker(state: string) {
  // The version is included, because a newer worker ends one whose lock names none.
  const text = `${ownerToken(thisProcess()).replaceAll('_', ' ')} ${packageVersion()}\n`
  writeFileSync(join(state, 'worker.lock'), text, { mode: 0o600 })
}

export function workerPid(state: string): number | undefined {
  const lock = join(state, 'worker.lock')
  if (!existsSync(lock)) return undefined
  const pid = Number(readFileSync(lock, 'utf8').split(' ')[0])
  return pid && pid !== process.pid ? pid : undefined
}

export interface DoorRun {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  /** The run time of the process, ms. */
  ms: number
}

export const silent = { code: 0, signal: null, output: '' }

export interface DoorOptions extends SpawnOptions {
  /** See `argv`. Default: it has no deadline. */
  changes?: Changes
  /** A shell script that runs the front door as "$@". */
  script?: string
  shell?: string
  /** Feeds stdin of the process. Without it, `input` is written and stdin is closed. */
  feed?: (child: ChildProcess) => unknown
  input?: string | Buffer
  args?: string[]
}

/** Starts the front door as a client does and waits for its end. */
export async function runDoor(door: Door, home: Home, options: DoorOptions = {}): Promise<DoorRun> {
  const { script, shell = 'sh', feed, input = '', args = ['--client', 'droid'], ...more } = options
  const { changes, ...rest } = more
  const [program = '', ...words] = [...(await door.argv(home, changes)), ...args]
  const argv = script ? [shell, '-c', script, 'agent', program, ...words] : [program, ...words]
  const started = performance.now()
  const child = spawn(argv[0] ?? '', argv.slice(1), { env: home.env, cwd: home.folder, ...rest })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  child.stdin?.on('error', () => {})
  if (feed) feed(child)
  else child.stdin?.end(input)
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('exit', (...end) => {
      const ended = () => resolve(end)
      // Wait for the rest of the output. A worker that kept the pipe open would be a fault.
      child.once('close', ended)
      if (!child.stdout) ended()
    })
  })
  child.stdin?.destroy()
  return { code, signal, output, ms: performance.now() - started }
}

/** A pipe that has this input before anybody reads it, and that stays open. At most 64 KiB. @returns its descriptor */
export function openPipe({ folder }: Home, input: string): number {
  const path = join(folder, `pipe-${randomUUID()}`)
  spawnSync('mkfifo', [path])
  const pipe = openSync(path, 'r+')
  onTestFinished(() => closeSync(pipe))
  writeSync(pipe, input)
  return pipe
}

/** Removes the events in all spool folders of this user. */
export function emptySpools({ folder }: Home) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && /\/spool\/(new|tmp)$/.test(entry.parentPath))
      rmSync(join(entry.parentPath, entry.name))
  }
}

export function quiet({ code, signal, output }: DoorRun) {
  return { code, signal, output }
}

/** The bodies of the events in new/. */
export function spooled(state: string): Buffer[] {
  return files(join(state, 'spool/new')).map((name) => {
    const parsed = parseSpoolFile(readFileSync(join(state, 'spool/new', name)))
    if (!parsed) throw new Error(`${name} is not a complete spool file`)
    return parsed.body
  })
}

export function files(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** Waits until the condition holds. */
export async function waitFor(condition: () => boolean) {
  await expect.poll(condition, { message: `${condition}` }).toBe(true)
}

export const fixture = (client: string, name: string) =>
  readFileSync(join(root, 'test/fixtures/payloads', client, `${name}.json`))

/** Makes installed doors start the worker through a program that logs each start. @returns a counter of starts */
export async function countStarts(door: Door, home: Home): Promise<() => number> {
  await door.argv(home)
  const log = join(home.folder, 'starts')
  const node = join(home.folder, 'node')
  const script = `#!/bin/sh\necho start >>${shellQuote(log)}\nexec ${shellQuote(process.execPath)} "$@"\n`
  writeFileSync(node, script, { mode: 0o755 })
  repin(home, 'node', node)
  return () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0)
}

/** Changes a value that `init` has pinned, in both installed doors. */
export function repin({ state }: Home, name: 'node' | 'home', value: string) {
  const [door, pinned] = [join(state, 'hookbell-hook'), join(state, 'runtime/pinned.json')]
  const line = new RegExp(` ${name}=('[^']*'|\\\\')+`)
  writeFileSync(
    door,
    readFileSync(door, 'utf8').replace(line, () => ` ${name}=${shellQuote(value)}`),
  )
  writeFileSync(
    pinned,
    JSON.stringify({ ...JSON.parse(readFileSync(pinned, 'utf8')), [name]: value }),
  )
}
