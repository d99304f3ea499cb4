import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asTyped } from '../cli/how-to-call.ts'
import { say } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { CurrentConfig } from '../config/current.ts'
import { refuseFoldersAtRisk } from '../config/folders-at-risk.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { listQuietly } from '../fs/read.ts'
import { wakeWorker } from '../hook/wake.ts'
import { packageRoot } from '../package-root.ts'
import { parseName, spoolIn } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { countWaitingCards } from '../spool/outline.ts'
import { isOnHold } from '../spool/requests.ts'
import { counted } from '../text/counted.ts'
import { endOnSignal } from '../worker/end-on-signal.ts'
import { addThreads, scrubEnvironment } from '../worker/isolate.ts'
import type { WorkerOptions } from '../worker/open-worker.ts'
import { releaseAll } from '../worker/run.ts'
import { allStateFolders } from './_events.ts'

/**
 * Prepares this process to deliver. Every command that does so calls it first, so that none delivers where the
 * background worker would not.
 * @param signalCode exit code after SIGINT or SIGTERM
 * @throws HookbellError for a folder that another user could change
 */
export function becomeWorker(signalCode: number): Omit<WorkerOptions, 'stateDir'> {
  refuseFoldersAtRisk(configDir(), stateDir())
  addThreads(process.env)
  const config = new CurrentConfig(configDir(), stateDir())
  config.storeVariables(shellEnvironment(process.env))
  scrubEnvironment(process.env, stateDir())
  return { config, configDir: configDir(), ending: endOnSignal(allStateFolders, signalCode) }
}

/** Puts claimed events back into the spool, as if this process had not claimed them. */
export function releaseClaims() {
  for (const folder of allStateFolders()) releaseAll({ stateDir: folder })
}

/**
 * Tells the user if messages wait for a later attempt and no worker runs to make it. The commands that call this start no
 * worker, because they also run from cron and in short-lived containers.
 */
export function sayWhatIsLeft(folders: readonly string[]) {
  const count = countLeft(folders)
  if (count === 0) return
  const what = counted(count, 'message waits for its time', 'messages wait for their time')
  say(asTyped(`${what}, and no worker runs. The next event starts one, or run: hookbell worker`))
}

/** How many messages wait for a later attempt where no worker runs to make it. */
export function countLeft(folders: readonly string[]): number {
  const alone = folders.filter((folder) => !isOnHold(folder) && !lockHolder(folder))
  const counts = alone.map(spoolIn).map((spool) => {
    return (
      listQuietly(spool.new).filter((name) => parseName(name)).length + countWaitingCards(spool)
    )
  })
  return counts.reduce((sum, one) => sum + one, 0)
}

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
