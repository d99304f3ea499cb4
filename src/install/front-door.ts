import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { configDir } from '../config/paths.ts'
import { HookbellError } from '../errors.ts'
import { privateFolder, writeDurable } from '../fs/durable.ts'
import { packageRoot } from '../package-root.ts'

const SETTINGS_LINE = "state='' config='' node='' worker='' worker_copy=''"

/**
 * Puts the front door at a path that stays when an npx cache is cleaned, Node.js is switched or the package is
 * upgraded: `<state>/hookbell-hook`, with a copy of the worker beside it for the day the package is gone.
 * @throws HookbellError E_FAILED when it cannot be written
 */
export async function installFrontDoor(options: {
  stateDir: string
  dryRun?: boolean
}): Promise<{ path: string }> {
  const { stateDir, dryRun = false } = options
  const windows = process.platform === 'win32'
  const path = windows ? join(stateDir, 'runtime/dist/hook.cjs') : join(stateDir, 'hookbell-hook')
  if (dryRun) return { path }
  try {
    privateFolder(stateDir)
    copyRuntime(join(stateDir, 'runtime'))
    if (!windows) writeFrontDoor(path, stateDir)
  } catch (error) {
    throw new HookbellError('E_FAILED', `${path}: ${(error as Error).message}`, {
      hint: 'Check that the folder can be written, or set HOOKBELL_STATE_DIR to another one',
      cause: error,
    })
  }
  return { path }
}

function writeFrontDoor(path: string, stateDir: string) {
  const text = readFileSync(join(packageRoot(), 'bin/hookbell-hook'), 'utf8')
  const settings = Object.entries({
    state: stateDir,
    config: configDir(),
    node: process.execPath,
    worker: join(packageRoot(), 'dist/worker.js'),
    worker_copy: join(stateDir, 'runtime/dist/worker.js'),
  })
  const line = settings.map(([name, value]) => `${name}=${quote(value)}`).join(' ')
  const waiting = `${path}.${process.pid}`
  rmSync(waiting, { force: true })
  writeDurable(path, [text.replace(SETTINGS_LINE, () => line)], waiting)
  chmodSync(path, 0o700)
}

/** Everything the worker needs is bundled, so dist/ and templates/ are enough. */
function copyRuntime(target: string) {
  const root = packageRoot()
  if (!existsSync(join(root, 'dist/worker.js')) || root === target) return
  const waiting = `${target}.${process.pid}`
  rmSync(waiting, { recursive: true, force: true })
  for (const part of ['dist', 'templates', 'package.json']) {
    const filter = (source: string) => !/\/dist\/types(\/|$)|\.d\.ts$/.test(source)
    cpSync(join(root, part), join(waiting, part), { recursive: true, filter })
  }
  rmSync(`${target}.old`, { recursive: true, force: true })
  if (existsSync(target)) renameSync(target, `${target}.old`)
  renameSync(waiting, target)
  rmSync(`${target}.old`, { recursive: true, force: true })
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
