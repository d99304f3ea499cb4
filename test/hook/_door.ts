import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { fallbackStateDir } from '../../src/config/paths.ts'
import { installFrontDoor } from '../../src/install/front-door.ts'
import { packageRoot } from '../../src/package-root.ts'
import { parseSpoolFile } from '../../src/spool/header.ts'
import { thisProcess } from '../../src/spool/owner.ts'
import { removeFolder } from '../support/folder.ts'

/** How a client names the front door in the command line that it starts. */
export interface Door {
  name: string
  argv(home: Home): Promise<string[]>
  isNode: boolean
  /** Knows its state folder by itself. */
  isInstalled: boolean
}

const root = packageRoot()

export const shDoor: Door = {
  name: 'bin/hookbell-hook',
  isNode: false,
  isInstalled: false,
  argv: async () => [join(root, 'bin/hookbell-hook')],
}

export const nodeDoor: Door = {
  name: 'dist/hook.cjs',
  isNode: true,
  isInstalled: false,
  argv: async () => [process.execPath, join(root, 'dist/hook.cjs')],
}

export const installedDoor: Door = {
  name: 'the installed copy',
  isNode: false,
  isInstalled: true,
  async argv({ state, config, folder, env }) {
    const path = join(state, 'hookbell-hook')
    // Pinned in the copy.
    vi.stubEnv('HOOKBELL_CONFIG_DIR', config)
    vi.stubEnv('XDG_RUNTIME_DIR', env.XDG_RUNTIME_DIR)
    vi.stubEnv('HOME', folder)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    return [existsSync(path) ? path : (await installFrontDoor({ stateDir: state })).path]
  },
}

/** What `init` installs where there is no sh, as on Windows. */
export const installedNodeDoor: Door = {
  name: 'the installed copy in Node.js',
  isNode: true,
  isInstalled: true,
  async argv(home) {
    await installedDoor.argv(home)
    return [process.execPath, join(home.state, 'runtime/dist/hook.cjs')]
  },
}

export interface Home {
  folder: string
  state: string
  config: string
  /** Where the `file` channel of the default configuration writes. */
  audit: string
  env: NodeJS.ProcessEnv
}

/** A user with a spool of their own. `holdsWorkerBack`: events stay in new/, where the test can look at them. */
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
    // Where the front door goes when the state folder takes nothing: not into that of the person who runs the tests.
    XDG_RUNTIME_DIR: join(folder, 'run'),
  }
  return { ...home, env }
}

/** Where the front door goes when the state folder takes nothing, as long as the runtime folder stays the same. */
export function fallbackOf({ state, env }: Home): string {
  return fallbackStateDir(state, env)
}

/** A lock that names this test process: the front door takes it for a worker and starts none. */
export function pretendWarmWorker(state: string) {
  const { pid, started, boot } = thisProcess()
  writeFileSync(join(state, 'worker.lock'), `${pid} ${started} ${boot}\n`, { mode: 0o600 })
}

export function workerPid(state: string): number | undefined {
  const lock = join(state, 'worker.lock')
  if (!existsSync(lock)) return undefined
  const pid = Number(readFileSync(lock, 'utf8').split(' ')[0])
  return pid && pid !== process.pid ? pid : undefined
}

export interface Rung {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  /** From the start to the end of the process. */
  ms: number
}

export const silent = { code: 0, signal: null, output: '' }

export interface RingOptions extends SpawnOptions {
  /** A shell script around the front door, which is "$@" in it. */
  script?: string
  shell?: string
  /** Called with the process to feed it. Without it, `input` is written and stdin closed. */
  feed?: (child: ChildProcess) => void
  input?: string | Buffer
  args?: string[]
}

/** Starts the front door as a client does and waits for its end. */
export async function ring(door: Door, home: Home, options: RingOptions = {}): Promise<Rung> {
  const { script, shell = 'sh', feed, input = '', args = ['--client', 'droid'], ...rest } = options
  const [program = '', ...words] = [...(await door.argv(home)), ...args]
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
      // What it wrote may still be on its way; what a worker holds open would be a fault.
      child.once('close', ended)
      if (!child.stdout) ended()
    })
  })
  child.stdin?.destroy()
  return { code, signal, output, ms: performance.now() - started }
}

/** A front door that ended sooner has not given up waiting for its agent. */
export const DEADLINE_MS = 900

/**
 * A front door that is slowed down by a busy machine may give up before it has read everything, as it should.
 * Then it is rung again.
 */
export async function ringInTime(
  door: Door,
  home: Home,
  options: RingOptions,
  isRight: () => boolean,
): Promise<Rung> {
  for (let left = 9; ; left -= 1) {
    const rung = await ring(door, home, options)
    if (isRight() || rung.ms < DEADLINE_MS || left === 0) return rung
    emptySpools(home)
  }
}

/** Removes what is spooled in any folder of this user. */
export function emptySpools({ folder }: Home) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && /\/spool\/(new|tmp)$/.test(entry.parentPath))
      rmSync(join(entry.parentPath, entry.name))
  }
}

export function quiet({ code, signal, output }: Rung) {
  return { code, signal, output }
}

/** The bodies of the events in new/. */
export function spooled(state: string): Buffer[] {
  return files(join(state, 'spool/new')).map((name) => {
    const parsed = parseSpoolFile(readFileSync(join(state, 'spool/new', name)))
    if (!parsed) throw new Error(`${name} is not a whole spool file`)
    return parsed.body
  })
}

export function files(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** Generous: it is no statement about speed. */
export async function waitFor(condition: () => boolean, limitMs = 60_000) {
  const limit = performance.now() + limitMs
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`not within ${limitMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const fixture = (client: string, name: string) =>
  readFileSync(join(root, 'test/fixtures/payloads', client, `${name}.json`))

/** Lets the installed doors start the worker by a program that notes each start. @returns how many there were */
export async function countStarts(door: Door, home: Home): Promise<() => number> {
  await door.argv(home)
  const log = join(home.folder, 'starts')
  const node = join(home.folder, 'node')
  const script = `#!/bin/sh\necho start >>'${log}'\nexec '${process.execPath}' "$@"\n`
  writeFileSync(node, script, { mode: 0o755 })
  repin(home, 'node', node)
  return () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0)
}

/** Changes what `init` has pinned, in both doors. */
export function repin({ state }: Home, name: 'node' | 'home', value: string) {
  const [door, pinned] = [join(state, 'hookbell-hook'), join(state, 'runtime/pinned.json')]
  const line = new RegExp(` ${name}='[^']*'`)
  writeFileSync(
    door,
    readFileSync(door, 'utf8').replace(line, () => ` ${name}='${value}'`),
  )
  writeFileSync(
    pinned,
    JSON.stringify({ ...JSON.parse(readFileSync(pinned, 'utf8')), [name]: value }),
  )
}
