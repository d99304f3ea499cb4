// The detached worker. The front door starts it through start.ts; nobody sees its output.
import { CurrentConfig } from '../config/current.ts'
import { stateDir } from '../config/paths.ts'
import { isPinRefused, readPinned } from '../config/pinned.ts'
import { workerEnvironment } from '../config/worker-env.ts'
import { isTrusted } from '../fs/ownership.ts'
import { prepareSpool } from '../spool/layout.ts'
import { hasProc } from '../spool/lock/owner.ts'
import { passStart } from '../spool/lock/start-marker.ts'
import { endHandover, handoverRequested } from '../spool/requests.ts'
import { syncWaiting } from '../spool/salvage.ts'
import { startDetached } from '../start-detached.ts'
import { endOnSignal } from './end-on-signal.ts'
import { addThreads, closeInherited, replaceEnvironment, wasInfluenced } from './isolate.ts'
import type { WorkerOptions } from './open-worker.ts'
import { runUntilIdle } from './run.ts'
import { servedFolders } from './served-folders.ts'

/**
 * After this many journal entries all code has run and can be saved. Only then may memory be kept small, which a long
 * queue soon needs.
 */
const BUSY_FROM = 60

/** Saves the compiled code, for a faster next start. Only defined if start.ts runs this file. */
declare const keepCode: (() => void) | undefined

const script = import.meta.filename
const state = stateDir()
const before = { ...process.env }
// The front door does this too; here it covers every other way to start this program.
replaceEnvironment(process.env, workerEnvironment(state, before))
addThreads(process.env)
closeInherited()
process.umask(0o077)
// A connection that is kept alive must not keep the worker alive.
void main().then(() => process.exit(0))

async function main() {
  const configDir = process.env.HOOKBELL_CONFIG_DIR ?? ''
  const folders = servedFolders(state)
  const [first] = folders
  if (!first || isPinRefused(state)) return
  if (mustRestart()) return restart(folders)
  const config = new CurrentConfig(configDir, first)
  const onRecord = atRecord(BUSY_FROM, keepCodeIfCompiled)
  const ending = endOnSignal(() => folders, 0)
  const options = folders.map((stateDir) => ({ stateDir, configDir, config, onRecord, ending }))
  // The worker outlives the terminal from which it was started.
  process.on('SIGHUP', () => {})
  // Each folder is served on its own, so that a fault in one does not delay the others.
  await Promise.allSettled(options.map(serve))
  keepCodeIfCompiled()
}

function keepCodeIfCompiled() {
  if (typeof keepCode === 'function') keepCode()
}

/** Returns a function that does the work at its nth call. */
function atRecord(nth: number, work: () => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count === nth) work()
  }
}

async function serve(options: WorkerOptions) {
  // Without /proc, the sh front door leaves the sync to the disk to the worker.
  if (!hasProc()) syncWaiting(prepareSpool(options.stateDir))
  await runUntilIdle(options)
  if (!handoverRequested(options.stateDir)) return
  endHandover(options.stateDir)
  // Starts what is installed now: `init` has replaced this version with the newer one.
  const node = readPinned(state)?.node ?? process.execPath
  if ([node, script].every(isTrusted)) startDetached(node, [script], process.env)
}

/** Variables that have changed how this process started, inherited descriptors and the session require a restart. */
function mustRestart(): boolean {
  if (process.argv.includes('--own-session')) return true
  return !process.argv.includes('--restarted') && wasInfluenced(before)
}

function restart(folders: readonly string[]) {
  const pid = startDetached(process.execPath, [script, '--restarted'], process.env)
  for (const folder of folders) passStart(folder, pid)
}
