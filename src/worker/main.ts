// The detached worker. The front door starts it through start.ts; nobody sees its output.

import { existsSync } from 'node:fs'
import { CurrentConfig } from '../config/current.ts'
import { stateDir } from '../config/paths.ts'
import { fallbackFolders, isPinRefused, readPinned } from '../config/pinned.ts'
import { workerEnvironment } from '../config/worker-env.ts'
import { distinctFolders } from '../fs/links.ts'
import { isTrusted } from '../fs/ownership.ts'
import { holdsEvents, prepareSpool } from '../spool/layout.ts'
import { hasProc } from '../spool/lock/owner.ts'
import { passStart, startMarkerPath } from '../spool/lock/start-marker.ts'
import { endHandover, handoverRequested } from '../spool/requests.ts'
import { syncWaiting } from '../spool/salvage.ts'
import { startDetached } from '../start-detached.ts'
import { endOnSignal } from './end-on-signal.ts'
import { addThreads, closeInherited, replaceEnvironment, wasInfluenced } from './isolate.ts'
import { notesIn } from './memory.ts'
import type { WorkerOptions } from './open-worker.ts'
import { reportedIn } from './own-messages/config-problem.ts'
import { runUntilIdle } from './run.ts'

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

/**
 * The state folder, and the front door's fallback folders that hold events. Also those that hold only a start marker,
 * which this worker has to remove: another worker may just have taken the last event. And those that have reported a
 * broken configuration, until that is over. Each is served once, even under two names. Folders that another user owns
 * or may write to are left out.
 */
export function servedFolders(stateDir: string, env = process.env): string[] {
  const trusted = [stateDir, ...fallbackFolders(stateDir, env)].filter(isTrusted)
  return distinctFolders(trusted.filter((folder) => folder === stateDir || needsWorker(folder)))
}

function needsWorker(folder: string): boolean {
  return (
    holdsEvents(folder) ||
    existsSync(startMarkerPath(folder)) ||
    reportedIn(notesIn(folder)).hash !== ''
  )
}
