import { dirname } from 'node:path'
import { isPinRefused, readPinned } from '../config/pinned.ts'
import { workerEnvironment } from '../config/worker-env.ts'
import { isTrusted } from '../fs/trust.ts'
import { mayStart, passStart } from '../spool/lock/start-marker.ts'
import { startDetached } from '../start-detached.ts'
import { limitWaiting } from './limit-waiting.ts'
import { workerLives } from './worker-lives.ts'

/**
 * Starts a worker unless one lives or is being started. A wake-up is a hint: losing it may cost time, never an event.
 * The worker gets its own process session, and none of the agent's descriptors or environment.
 * @param stateDir the state folder that the worker is for
 * @param root where the event was stored: the state folder or its fallback
 */
export function wakeWorker(stateDir: string, root: string, worker: string) {
  const onFailed = () => limitWaiting(root)
  if (workerLives(root) || isPinRefused(stateDir) || !mayStart(root, onFailed)) return
  const node = nodeOf(stateDir)
  const env = workerEnvironment(stateDir, process.env)
  const run = [root, dirname(worker), worker, node]
  // The worker checks the configuration before it reads it.
  if (!run.every(isTrusted)) return
  passStart(root, startDetached(node, [worker], env))
}

/** The Node.js that `init` was run with, while it exists and is trusted; else the one that runs now. */
function nodeOf(stateDir: string): string {
  const pinned = readPinned(stateDir)?.node
  return pinned && isTrusted(pinned) ? pinned : process.execPath
}
