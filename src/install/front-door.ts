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
} from 'node:fs'
import { dirname, join } from 'node:path'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { configDir, fallbackStateDir, frontDoorIn } from '../config/paths.ts'
import { type Pinned, pinnedPath } from '../config/pinned.ts'
import { localeOf, pinnedLocale, windowsSystem } from '../config/worker-env.ts'
import { describeError, HookbellError, pathFault } from '../errors.ts'
import { isOutOfRoom, privateFolder, replaceFile } from '../fs/durable.ts'
import { homeDir } from '../fs/home.ts'
import { exists } from '../fs/read.ts'
import { withLock } from '../fs/with-lock.ts'
import { packageRoot } from '../package-root.ts'
import { requestHandover } from '../spool/requests.ts'
import { quoteWord } from '../text/shell.ts'
import { compileWorker } from './compile-worker.ts'

/** The files that the worker and the front door in Node.js load. The command line program stays in its package. */
const COPIED = [
  'package.json',
  'icons',
  'templates',
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
      hint: isOutOfRoom(error)
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
