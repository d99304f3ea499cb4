// The detached worker. The front door starts it, by start.ts; nobody sees its output.
import { fileURLToPath } from 'node:url'
import { CurrentConfig } from '../config/current.ts'
import { stateDir } from '../config/paths.ts'
import { isPinRefused, readPinned } from '../config/pinned.ts'
import { workerEnvironment } from '../config/worker-env.ts'
import { isTrusted, isTrustedIfPresent } from '../fs/trust.ts'
import { endHandover, handoverRequested } from '../spool/handover.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { hasProc } from '../spool/process.ts'
import { syncWaiting } from '../spool/salvage.ts'
import { passStart } from '../spool/start-marker.ts'
import { closeInherited, replaceEnvironment, startWorker, wasInfluenced } from './isolate.ts'
import type { WorkerOptions } from './open-worker.ts'
import { releaseAll, runUntilIdle } from './run.ts'
import { servedFolders } from './served-folders.ts'

/** Keeps what V8 has compiled for the next start, where start.ts runs this. */
declare const keepCode: (() => void) | undefined

const script = fileURLToPath(import.meta.url)
const state = stateDir()
const before = { ...process.env }
// The front door has done so too: whoever starts this program otherwise gets the same.
replaceEnvironment(process.env, workerEnvironment(state, before))
closeInherited()
process.umask(0o077)
// A connection that is kept alive must not keep the worker alive.
void main().then(() => process.exit(0))

async function main() {
  const configDir = process.env.HOOKBELL_CONFIG_DIR ?? ''
  const folders = servedFolders(state)
  const [first] = folders
  if (!first || isPinRefused(state) || !isTrustedIfPresent(configDir)) return
  const config = new CurrentConfig(configDir, first)
  const { extraCaFile } = config.get().config
  if (mustRestart(extraCaFile)) return restart(folders, extraCaFile)
  const options = folders.map((stateDir) => ({ stateDir, configDir, config }))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      for (const one of options) releaseAll(one)
      process.exit(0)
    })
  }
  // A terminal that is closed is not ours.
  process.on('SIGHUP', () => {})
  // Each folder on its own: what is wrong with one does not keep the others waiting.
  await Promise.allSettled(options.map(serve))
  if (typeof keepCode === 'function') keepCode()
}

async function serve(options: WorkerOptions) {
  // The sh door leaves it to the worker where it cannot.
  if (!hasProc()) syncWaiting(prepareSpool(options.stateDir))
  await runUntilIdle(options)
  if (!handoverRequested(options.stateDir)) return
  endHandover(options.stateDir)
  // What is there now: `init` has put the newer version in the place of this one.
  const node = readPinned(state)?.node ?? process.execPath
  if ([node, script].every(isTrusted)) startWorker(node, [script], process.env)
}

/** Node.js reads these variables only when it starts, and so does the system with descriptors and sessions. */
function mustRestart(extraCaFile: string | undefined): boolean {
  if (process.argv.includes('--own-session')) return true
  if (process.argv.includes('--restarted')) return false
  return before.NODE_EXTRA_CA_CERTS !== extraCaFile || wasInfluenced(before)
}

function restart(folders: readonly string[], extraCaFile: string | undefined) {
  const env = { ...process.env, ...(extraCaFile && { NODE_EXTRA_CA_CERTS: extraCaFile }) }
  const pid = startWorker(process.execPath, [script, '--restarted'], env)
  for (const folder of folders) passStart(folder, pid)
}
