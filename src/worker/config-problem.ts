import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { readQuietly } from '../fs/read.ts'
import type { Claim } from '../spool/claim.ts'
import { sha256 } from '../text/sha256.ts'
import type { WorkerDeps } from './deps.ts'

/** Reports each broken configuration once to the user, by an event to the desktop. */
export class ConfigProblem {
  readonly #deps: WorkerDeps
  #seen: LoadedConfig | undefined

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /**
   * Best effort: a failure here must not stop deliveries.
   * @returns the event that reports the problem, accepted and claimed; undefined if there is nothing new
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
      // After a fix the hash is removed, so that the same mistake is reported again.
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
