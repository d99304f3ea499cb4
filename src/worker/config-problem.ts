import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { readQuietly } from '../fs/read.ts'
import type { Claim } from '../spool/claim.ts'
import { sha256 } from '../text/sha256.ts'
import type { WorkerDeps } from './deps.ts'

/** Tells the user once per broken configuration, as an event of our own to the desktop. */
export class ConfigProblem {
  readonly #deps: WorkerDeps
  #seen: LoadedConfig | undefined

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /**
   * Best effort: what is wrong with a configuration must not stop a delivery.
   * @returns the event that tells of it, accepted and claimed; undefined where there is nothing new
   */
  check(loaded: LoadedConfig): Claim | undefined {
    if (loaded === this.#seen) return undefined
    this.#seen = loaded
    const path = join(this.#deps.stateDir, 'config-problem-told')
    try {
      const hash = loaded.problem ? sha256(loaded.problem.message) : ''
      if ((readQuietly(path) ?? '') === hash) return undefined
      const header = { client: 'hookbell', env: { ...this.#deps.lastSession.env } }
      const claim = loaded.problem && this.#deps.store.acceptOwn(header, describe(loaded))
      // Once it is fixed, the same mistake is news again.
      if (hash) writeFileSync(path, hash, { mode: 0o600 })
      else rmSync(path, { force: true })
      return claim
    } catch {
      return undefined
    }
  }
}

function describe({ problem, source }: LoadedConfig): Buffer {
  const hint = problem?.hint ? `${problem.hint}. ` : ''
  const message = `${problem?.message}. ${hint}Until it is fixed, the ${source} settings are used.`
  return Buffer.from(JSON.stringify({ hook_event_name: 'StopFailure', message }))
}
