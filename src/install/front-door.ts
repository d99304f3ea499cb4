import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { configDir, fallbackStateDir, frontDoorIn } from '../config/paths.ts'
import { type Pinned, pinnedPath } from '../config/pinned.ts'
import { localeOf, pinnedLocale, windowsSystem } from '../config/worker-env.ts'
import { describeError, HookbellError, pathFault } from '../errors.ts'
import { readCodeCache } from '../fs/code-cache.ts'
import { isOutOfSpace, privateFolder, replaceFile } from '../fs/durable.ts'
import { homeDir } from '../fs/home.ts'
import { exists } from '../fs/read.ts'
import { withLock } from '../fs/with-lock.ts'
import { packageRoot } from '../package-root.ts'
import { acceptEvent } from '../spool/event-file.ts'
import { requestHandover } from '../spool/requests.ts'
import { quoteWord } from '../text/shell.ts'

/** The files that the worker and the front door in Node.js load. The command line program stays in its package. */
const COPIED = [
  'package.json',
  'icons',
  'templates',
  'bin/hookbell-line',
  'bin/hookbell-wait',
  'dist/LICENCES.txt',
  'dist/hook.cjs',
  'dist/worker.js',
  'dist/worker.cjs',
  'dist/worker-code.cjs',
  'dist/worker-code.cache',
  'dist/packages',
]

/** Also on a slow disk. A process that holds the lock longer has died. */
const COPIED_WITHIN_MS = 15_000

const SETTINGS_LINE = "state='' config='' fallback='' home='' node='' worker=''"

/**
 * Puts the front door at a path that stays when an npx cache is cleaned, Node.js is switched or the package is
 * upgraded: `<state>/hookbell-hook`, with a private copy of the worker beside it. Nothing else is ever run.
 * The folders are pinned as they are now. A running worker is asked to hand over to the new copy.
 * @throws HookbellError E_FAILED when it cannot be written, or not be run where it is
 */
export async function installFrontDoor(options: {
  stateDir: string
  dryRun?: boolean
}): Promise<{ path: string }> {
  const { stateDir, dryRun = false } = options
  const windows = process.platform === 'win32'
  const path = frontDoorIn(stateDir)
  if (dryRun) return { path }
  try {
    privateFolder(stateDir)
    closeToOthers(stateDir)
    const pinned = pin(stateDir)
    // Another `init` may run at the same time, such as for another client.
    const copy = () => {
      copyRuntime(stateDir, pinned)
      if (!windows) writeFrontDoor(path, stateDir, pinned)
    }
    withLock(join(stateDir, 'runtime'), copy, COPIED_WITHIN_MS)
    await compileWorker(join(stateDir, 'runtime'), pinned.node)
    requestHandover(stateDir)
  } catch (error) {
    throw new HookbellError('E_FAILED', `${path}: ${describeError(error)}`, {
      hint: isOutOfSpace(error)
        ? 'The disk is full or read-only: make room, or set HOOKBELL_STATE_DIR to another folder'
        : (pathFault(error)?.hint ??
          'Check that the folder can be written, or set HOOKBELL_STATE_DIR to another one'),
      cause: error,
    })
  }
  if (!windows) refuseWhereNothingRuns(path)
  return { path }
}

/** Refuses a folder where no program can be started: agents would fail to start the front door, without a message. */
function refuseWhereNothingRuns(path: string) {
  try {
    accessSync(path, constants.X_OK)
  } catch (cause) {
    throw new HookbellError(
      'E_FAILED',
      `${path}: no program can be started from this file system`,
      {
        hint: 'Its mount options may contain noexec: set HOOKBELL_STATE_DIR to a folder of another one',
        cause,
      },
    )
  }
}

function pin(stateDir: string): Pinned {
  return {
    configDir: configDir(),
    fallbackDir: fallbackStateDir(stateDir),
    home: homeDir(),
    node: process.execPath,
    locale: pinLocale(stateDir),
    ...(process.platform === 'win32' && { system: windowsSystem(process.env) }),
  }
}

/** In an agent's session, where a repository can set variables, what was pinned before stays. */
function pinLocale(stateDir: string): Readonly<Record<string, string>> {
  const shell = shellEnvironment(process.env)
  return shell === process.env ? localeOf(shell) : pinnedLocale(stateDir)
}

function writeFrontDoor(path: string, stateDir: string, pinned: Pinned) {
  const text = readFileSync(join(packageRoot(), 'bin/hookbell-hook'), 'utf8')
  const settings = Object.entries({
    state: stateDir,
    config: pinned.configDir,
    fallback: pinned.fallbackDir,
    home: pinned.home,
    node: pinned.node,
    worker: join(stateDir, 'runtime/dist/worker.cjs'),
  })
  const line = settings.map(([name, value]) => `${name}=${quoteWord(value)}`).join(' ')
  // The mode comes with the file: an agent may start the front door at any moment.
  const filledIn = text.replace(SETTINGS_LINE, () => line)
  replaceFile(path, filledIn, 0o700)
}

function copyRuntime(stateDir: string, pinned: Pinned) {
  const target = join(stateDir, 'runtime')
  const root = packageRoot()
  if (existsSync(join(root, 'dist/worker.cjs'))) replaceFolder(root, target)
  mkdirSync(target, { recursive: true, mode: 0o700 })
  closeToOthers(target)
  replaceFile(pinnedPath(stateDir), `${JSON.stringify(pinned, null, 2)}\n`)
}

function replaceFolder(root: string, target: string) {
  const temporary = `${target}.${process.pid}`
  removeLeft(dirname(target))
  try {
    for (const part of COPIED.filter((path) => existsSync(join(root, path))))
      cpSync(join(root, part), join(temporary, part), { recursive: true, filter: isForUs })
  } catch (error) {
    // Otherwise a full disk would be even fuller afterwards.
    rmSync(temporary, { recursive: true, force: true })
    throw error
  }
  for (const entry of readdirSync(temporary, { recursive: true, encoding: 'utf8' })) {
    closeToOthers(join(temporary, entry))
  }
  if (exists(target)) renameSync(target, `${temporary}.old`)
  renameSync(temporary, target)
  removeLeft(dirname(target))
}

/** Removes former copies, also those of processes that were killed. What another user owns in one of them stays. */
function removeLeft(stateDir: string) {
  for (const name of readdirSync(stateDir).filter((one) => /^runtime\.(?!lock)/.test(one))) {
    try {
      rmSync(join(stateDir, name), { recursive: true, force: true })
    } catch {
      // The next `init` tries again. Nothing runs it.
    }
  }
}

/**
 * Leaves out compiled code that is private to another user of a shared package: it is compiled again here. Also leaves out
 * `*.cache.new`, which exists only while another process writes the cache, and may be gone before it is copied.
 */
function isForUs(path: string): boolean {
  if (path.endsWith('.cache.new')) return false
  if (!path.endsWith('.cache')) return true
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Takes write access from others, whatever the umask was, because files that others can write are not run. */
function closeToOthers(path: string) {
  if (process.platform !== 'win32') chmodSync(path, statSync(path).mode & 0o755)
}

/** Only what hangs takes this long, also on a busy machine. */
const LIMIT_MS = 60_000

/** Uses the code that channels commonly need: for a file, a connection and a program. */
function makeConfig(folder: string, port: number, node: string) {
  return {
    lingerSeconds: 0,
    retry: { maxAttempts: 1 },
    channels: {
      file: { type: 'file', path: join(folder, 'events.jsonl') },
      slack: { type: 'slack', url: `http://127.0.0.1:${port}/` },
      command: { type: 'command', argv: [node, '--version'] },
    },
    routes: [{ on: ['*'], to: ['file', 'slack', 'command'] }],
  }
}

/**
 * Lets the private copy of the worker deliver one event in temporary folders, so that its compiled code is cached
 * before the first real event. Best effort: otherwise the first real worker writes the cache.
 */
export async function compileWorker(runtime: string, node: string): Promise<void> {
  const folder = join(runtime, 'rehearsal')
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  try {
    if (isCompiled(join(runtime, 'dist'))) return
    const [state, configDir] = [join(folder, 'state'), join(folder, 'config')]
    for (const path of [folder, state, configDir]) mkdirSync(path, { mode: 0o700 })
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const config = makeConfig(folder, (receiver.address() as AddressInfo).port, node)
    writeFileSync(join(configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    const event = { hook_event_name: 'Stop', session_id: 'rehearsal', cwd: '/' }
    acceptEvent(state, { client: 'claude', env: {} }, Buffer.from(JSON.stringify(event)))
    const env = { HOME: folder, HOOKBELL_STATE_DIR: state, HOOKBELL_CONFIG_DIR: configDir }
    const worker = spawn(node, [join(runtime, 'dist/worker.cjs')], {
      cwd: '/',
      env,
      stdio: 'ignore',
      windowsHide: true,
      timeout: LIMIT_MS,
    })
    await once(worker, 'exit')
  } catch {
    // A full disk or a missing program is reported when the real worker is started.
  } finally {
    receiver.close()
    receiver.closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  }
}

function isCompiled(dist: string): boolean {
  const source = readFileSync(join(dist, 'worker-code.cjs'))
  return readCodeCache(join(dist, 'worker-code.cache'), source) !== undefined
}
