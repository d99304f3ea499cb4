import { shellEnvironment } from '../clients/shell-environment.ts'
import { CurrentConfig } from '../config/current.ts'
import { refuseFoldersAtRisk } from '../config/folders-at-risk.ts'
import { configDir, stateDir } from '../config/paths.ts'
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
