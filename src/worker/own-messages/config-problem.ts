import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load/load.ts'
import { problemHint } from '../../config/problem-hint.ts'
import { SAVING_MS } from '../../config/stamp.ts'
import { DESKTOP_OF_LAST_RESORT } from '../../deliver/audience.ts'
import type { HookbellError } from '../../errors.ts'
import { readQuietly } from '../../fs/read.ts'
import { OWN_CLIENT } from '../../journal/own-client.ts'
import type { Claim } from '../../spool/claim.ts'
import { sha256 } from '../../text/sha256.ts'
import type { WorkerDeps } from '../deps.ts'
import { ownReport } from './own-report.ts'

const TITLE = 'the configuration cannot be used'

interface Told {
  /** Of the problem; '' if the configuration was right. */
  hash: string
  /** Of the event that reported it; '' if it has none. */
  id: string
}

/**
 * Reports each broken configuration once to the user, by an event to the desktop, or to another channel if that fails,
 * until it is right again.
 */
export class ConfigProblem {
  readonly #deps: WorkerDeps
  #seen: LoadedConfig | undefined
  /** When `#seen` may be reported; undefined if that is settled. */
  #dueAt: number | undefined
  /** Of the problem whose report this worker watches. */
  #hash = ''

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /** Milliseconds until a new problem is reported, unless it is gone by then; undefined if there is none. */
  get nextInMs(): number | undefined {
    if (this.#dueAt === undefined) return undefined
    return Math.max(0, this.#dueAt - this.#deps.steadyNow())
  }

  /**
   * Best effort: a failure here must not stop deliveries.
   * @param follow gets the withdrawal of the report before: its receiver may not respond
   * @returns the event that reports the problem, accepted and claimed; undefined if there is nothing new
   */
  check(loaded: LoadedConfig, follow: (work: Promise<void>) => void): Claim | undefined {
    if (loaded !== this.#seen) this.#dueAt = this.#deps.steadyNow() + this.#graceMs(loaded)
    this.#seen = loaded
    if (this.#dueAt === undefined) return undefined
    const told = this.#readTold()
    const hash = loaded.problem ? sha256(loaded.problem.message) : ''
    const isNew = told.hash !== hash
    if (isNew && this.nextInMs) return undefined
    this.#dueAt = undefined
    if (!isNew) return this.#resume(loaded, told)
    follow(this.#deps.open.withdraw(told.id))
    return this.#tell(loaded, hash)
  }

  /** A file that this worker has seen change, or that is new, may be half of what is being saved. */
  #graceMs({ problem }: LoadedConfig): number {
    const { config, now } = this.#deps
    if (!problem) return 0
    const ageMs = this.#seen ? 0 : Math.max(0, now() - config.changedAt())
    return Math.max(0, SAVING_MS - ageMs)
  }

  get #path(): string {
    return join(this.#deps.stateDir, 'config-problem-told')
  }

  #readTold(): Told {
    const [hash = '', id = ''] = (readQuietly(this.#path) ?? '').split(' ')
    return { hash, id }
  }

  #tell(loaded: LoadedConfig, hash: string): Claim | undefined {
    try {
      // After a fix the hash is removed, so that the same mistake is reported again.
      if (loaded.problem) return this.#report(describe(loaded.problem, loaded.source), hash)
      rmSync(this.#path, { force: true })
      return undefined
    } catch {
      return undefined
    }
  }

  /** Another worker may have ended before a channel carried its report. */
  #resume({ problem, source }: LoadedConfig, { hash, id }: Told): undefined {
    if (problem && this.#hash !== hash) this.#watch(id, describe(problem, source), hash)
  }

  #report(message: string, hash: string): Claim {
    const { store, lastSession } = this.#deps
    const header = {
      ...{ client: OWN_CLIENT, channel: DESKTOP_OF_LAST_RESORT },
      env: { ...lastSession.env },
    }
    const claim = store.acceptOwn(header, ownReport(TITLE, message))
    this.#noteTold(hash, claim.id)
    this.#watch(claim.id, message, hash)
    return claim
  }

  /** Sends it on other channels until one carries it, unless the configuration is changed meanwhile. */
  #watch(event: string, message: string, hash: string) {
    const { notices, config, lastSession } = this.#deps
    this.#hash = hash
    notices.watch(event, {
      reason: TITLE,
      wordsFor: () => message,
      tried: [DESKTOP_OF_LAST_RESORT],
      sessionEnv: { ...lastSession.env },
      whyOver: () =>
        config.recent().problem && this.#hash === hash
          ? undefined
          : 'the configuration has changed',
      moved: (id) => this.#noteTold(hash, id),
    })
  }

  #noteTold(hash: string, id: string) {
    try {
      writeFileSync(this.#path, `${hash} ${id}`, { mode: 0o600 })
    } catch {
      // Such as a full disk: the next worker reports it again.
    }
  }
}

function describe(problem: HookbellError, source: LoadedConfig['source']): string {
  const hint = problemHint(problem).replace(/[.?]?$/, (end) => end || '.')
  return `${problem.message}. ${hint} Until it is fixed, the ${source} settings are used.`
}
