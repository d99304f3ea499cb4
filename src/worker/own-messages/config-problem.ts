import type { LoadedConfig } from '../../config/load/load.ts'
import { problemHint } from '../../config/problem-hint.ts'
import { SAVING_MS } from '../../config/stamp.ts'
import { DESKTOP_OF_LAST_RESORT } from '../../deliver/audience.ts'
import type { HookbellError } from '../../errors.ts'
import { whyNoSpace } from '../../fs/durable.ts'
import { withLock } from '../../fs/with-lock.ts'
import { currentFile } from '../../journal/files.ts'
import type { Notes } from '../../journal/fold.ts'
import type { DeliveryClaim } from '../../spool/cards.ts'
import { sha256 } from '../../text/sha256.ts'
import type { WorkerDeps } from '../deps.ts'
import { notesIn } from '../memory.ts'
import { type OwnMessage, ownReport } from './notices.ts'

const TITLE = 'the configuration cannot be used'
/** More reports than are shown or wait at the same time. */
const MAX_REPORTS = 10

/** Which problem was told last. */
interface Reported {
  /** Hash of the problem; '' if the configuration was right. */
  hash: string
  /** Ids of the events that reported it and earlier problems, the latest first: they may still be shown, or wait. */
  ids: readonly string[]
}

/**
 * Reports each broken configuration once to the user, on the desktop, or to another channel if that fails,
 * until it is right again.
 */
export class ConfigProblem {
  readonly #deps: WorkerDeps
  #seen: LoadedConfig | undefined
  /** When `#seen` may be reported; undefined if that is settled. */
  #dueAt: number | undefined
  /** Hash of the problem that was reported last. */
  #hash: string

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    const told = this.#readReported()
    this.#hash = told.hash
    this.#resume(told)
  }

  /** Milliseconds until a new problem is reported, unless it is gone by then; undefined if there is none. */
  get nextInMs(): number | undefined {
    if (this.#dueAt === undefined) return undefined
    return Math.max(0, this.#dueAt - this.#deps.steadyNow())
  }

  /**
   * Best effort: a failure here must not stop deliveries.
   * @param follow gets the withdrawal of each earlier report: its receiver may not respond
   * @returns the message that reports the problem, claimed; undefined if there is nothing new
   */
  async check(
    loaded: LoadedConfig,
    follow: (work: Promise<void>) => void,
  ): Promise<DeliveryClaim | undefined> {
    if (loaded !== this.#seen) this.#dueAt = this.#deps.steadyNow() + this.#graceMs(loaded)
    this.#seen = loaded
    if (this.#dueAt === undefined) return undefined
    const told = this.#readReported()
    const problem = this.#problemOf(loaded)
    const hash = problem ? hashOf(problem) : ''
    const isNew = told.hash !== hash
    if (isNew && this.nextInMs) return undefined
    this.#dueAt = undefined
    this.#hash = hash
    this.#resume(told)
    // Also if nothing is new: another worker may have ended before it could do this.
    const outdated = isNew || !hash ? told.ids : told.ids.slice(1)
    for (const id of outdated) follow(this.#deps.open.withdraw(id))
    return isNew ? await this.#tellFirst(loaded, hash) : undefined
  }

  /**
   * What this worker has to report. A fallback folder is served with the state folder, whose worker reports it, unless its
   * disk is full: then it could neither store the report nor record that it was made.
   */
  #problemOf({ problem }: LoadedConfig) {
    const { config, stateDir } = this.#deps
    if (!problem || stateDir === config.stateDir) return problem
    const isReported = reportedIn(notesIn(config.stateDir)).hash === hashOf(problem)
    return !isReported && whyNoSpace(config.stateDir) ? problem : undefined
  }

  /** A file that this worker has seen change, or that is new, may be only half saved. */
  #graceMs(loaded: LoadedConfig): number {
    const { config, now } = this.#deps
    if (!this.#problemOf(loaded)) return 0
    const ageMs = this.#seen ? 0 : Math.max(0, now() - config.changedAt())
    return Math.max(0, SAVING_MS - ageMs)
  }

  #readReported(): Reported {
    return reportedIn(this.#deps.memory.notes)
  }

  /**
   * Another worker may have ended before a channel delivered its report. Earlier reports, outdated by now, are still
   * watched, so that they are not sent any more.
   */
  #resume({ hash, ids: [latest, ...earlier] }: Reported) {
    if (latest !== undefined) this.#watch(latest, hash)
    for (const id of earlier) this.#watch(id, '')
  }

  /** Another worker may notice the problem at the same moment: then only the first one reports it. */
  async #tellFirst(loaded: LoadedConfig, hash: string): Promise<DeliveryClaim | undefined> {
    try {
      const report = hash ? await this.#report(loaded) : undefined
      return withLock(currentFile(this.#deps.stateDir), () => {
        const told = this.#readReported()
        return told.hash === hash ? undefined : this.#tell(report, { hash, ids: told.ids })
      })
    } catch {
      return undefined
    }
  }

  #tell(report: OwnMessage | undefined, { hash, ids }: Reported): DeliveryClaim | undefined {
    const claim = report && this.#deps.notices.put(report)
    // After a fix the hash is removed, so that the same mistake is reported again.
    this.#noteReported({ hash, ids: claim ? [claim.event, ...ids] : ids })
    if (claim) this.#watch(claim.event, hash)
    return claim
  }

  #report(loaded: LoadedConfig): Promise<OwnMessage> {
    const { notices, lastSession } = this.#deps
    return notices.make(ownReport(TITLE, wordsFor(loaded), lastSession.env), DESKTOP_OF_LAST_RESORT)
  }

  /**
   * Sends the report on other channels until one delivers it, unless the configuration is changed meanwhile.
   * @param hash of the problem that the event reports; '' if that is over
   */
  #watch(event: string, hash: string) {
    const { notices, config } = this.#deps
    const isTrue = () => hash !== '' && hash === this.#hash && config.recent().problem !== undefined
    notices.watch(event, {
      reason: TITLE,
      wordsFor: () => wordsFor(config.recent()),
      tried: [DESKTOP_OF_LAST_RESORT],
      whyOver: () => (isTrue() ? undefined : 'the configuration has changed'),
      moved: (id) => this.#noteReported({ hash, ids: [id, ...this.#readReported().ids.slice(1)] }),
    })
  }

  #noteReported({ hash, ids }: Reported) {
    const { memory, now } = this.#deps
    memory.note('configuration', [hash, ...ids.slice(0, MAX_REPORTS)].join(' '), now())
  }
}

export function reportedIn(notes: Pick<Notes, 'latest'>): Reported {
  const [hash = '', ...ids] = (notes.latest('configuration') ?? '').split(' ')
  return { hash, ids: ids.filter(Boolean) }
}

function hashOf({ message }: HookbellError): string {
  return sha256(message)
}

function wordsFor({ problem, source }: LoadedConfig): string {
  if (!problem) return ''
  const hint = problemHint(problem).replace(/[.?]?$/, (end) => end || '.')
  return `${problem.message}. ${hint} Until it is fixed, the ${source} settings are used.`
}
