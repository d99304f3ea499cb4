import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../config/paths.ts'
import { wakeWorker } from '../hook/wake.ts'
import { packageRoot } from '../package-root.ts'

/** Starts a worker as the front door does, unless one runs. @param root where events wait: the state folder or its fallback */
export function wakeWorkerOf(root: string) {
  const state = stateDir()
  wakeWorker(state, root, workerFor(state))
}

/** The copy that `init` made; without one, that of this package. */
function workerFor(state: string): string {
  const installed = join(state, 'runtime/dist/worker.cjs')
  return existsSync(installed) ? installed : join(packageRoot(), 'dist/worker.cjs')
}
