import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { sessionEnv } from '../hook/session-env.ts'
import { acceptEvent } from '../spool/write.ts'

/** A channel that exists whatever the configuration says. */
const DESKTOP_OF_LAST_RESORT = 'desktop'

/** Tells the user once per broken configuration, as an event of our own to the desktop. */
export class ConfigProblem {
  readonly #stateDir: string
  #seen: LoadedConfig | undefined

  constructor(stateDir: string) {
    this.#stateDir = stateDir
  }

  /** Best effort: what is wrong with a configuration must not stop a delivery. */
  tell(loaded: LoadedConfig) {
    if (loaded === this.#seen) return
    this.#seen = loaded
    const told = join(this.#stateDir, 'config-problem-told')
    try {
      const hash = loaded.problem ? hashOf(loaded.problem.message) : ''
      if (readQuietly(told) === hash) return
      if (loaded.problem) acceptEvent(this.#stateDir, header(), describe(loaded))
      // Once mended, the same mistake is news again.
      if (hash) writeFileSync(told, hash, { mode: 0o600 })
      else rmSync(told, { force: true })
    } catch {}
  }
}

function header() {
  return { client: 'hookbell', env: sessionEnv(process.env), channel: DESKTOP_OF_LAST_RESORT }
}

function describe({ problem, source }: LoadedConfig): Buffer {
  const hint = problem?.hint ? `${problem.hint}. ` : ''
  const message = `${problem?.message}. ${hint}Until it is mended, the ${source} settings are used.`
  return Buffer.from(JSON.stringify({ hook_event_name: 'StopFailure', message }))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
