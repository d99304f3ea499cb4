import type { LoadedConfig } from '../../config/load/load.ts'
import {
  type AttemptDeps,
  type Destination,
  findDestination,
  isRetry,
  withDeadline,
} from '../../deliver/attempt.ts'
import type { Answer } from '../../delivery.ts'
import { dropOldest } from '../../drop-oldest.ts'
import { waitAtMost } from '../../patience.ts'

const FIRST_DELAY_MS = 2000
const MAX_DELAY_MS = 60_000
/** How long an ending worker waits for reports in flight. */
const PATIENCE_MS = 2000
const MAX_WAITING = 500
const MAX_TOLD = 1000

interface ReportDeps {
  host: string
  /** Tells the hub. @returns false if it failed and is worth a retry; never rejects */
  tell(answer: Answer): Promise<boolean>
}

/**
 * Tells the hub which sessions were answered. Retries while the worker lives, and keeps reports only in memory: if
 * one is lost, at worst a question is shown that was already answered.
 */
export class AnswerReports {
  readonly #deps: ReportDeps
  /** Merged answers that are not reported yet, by session. */
  readonly #waiting = new Map<string, Answer>()
  /** Ids of the questions already reported. */
  readonly #told = new Set<string>()
  #running: Promise<void> | undefined
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(deps: ReportDeps) {
    this.#deps = deps
  }

  /** Queues a report and returns at once. */
  report(answer: Omit<Answer, 'host'>) {
    const questions = answer.questions.filter((id) => !this.#told.has(id))
    if (!answer.isForAll && questions.length === 0) return
    this.#add({ ...answer, questions, host: this.#deps.host })
    if (this.#failures === 0) this.#start()
  }

  /** Makes a last, short attempt before the worker ends. */
  async close() {
    this.#start()
    clearTimeout(this.#timer)
    await waitAtMost(PATIENCE_MS, this.#running ?? Promise.resolve())
    clearTimeout(this.#timer)
  }

  #start() {
    if (this.#waiting.size === 0) return
    clearTimeout(this.#timer)
    this.#running ??= this.#tellAll().finally(() => {
      this.#running = undefined
    })
  }

  async #tellAll() {
    for (const [session, answer] of this.#waiting) {
      this.#waiting.delete(session)
      if (await this.#deps.tell(answer)) {
        this.#failures = 0
        for (const id of answer.questions) this.#told.add(id)
        dropOldest(this.#told, MAX_TOLD)
        continue
      }
      this.#failures += 1
      this.#add(answer)
      const ms = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), MAX_DELAY_MS)
      this.#timer = setTimeout(() => this.#start(), ms).unref()
      return
    }
  }

  /** Merges the answer with the one that waits for the same session. */
  #add(answer: Answer) {
    const before = this.#waiting.get(answer.session)
    this.#waiting.delete(answer.session)
    this.#waiting.set(answer.session, before ? merge(before, answer) : answer)
    dropOldest(this.#waiting, MAX_WAITING)
  }
}

/** An answer to single questions must not move the time of an answer to all: it says nothing of other questions. */
function merge(one: Answer, other: Answer): Answer {
  const whole = [one, other].filter(({ isForAll }) => isForAll)
  return {
    ...other,
    isForAll: whole.length > 0,
    at: Math.max(...(whole.length > 0 ? whole : [one, other]).map(({ at }) => at)),
    questions: [...new Set([...one.questions, ...other.questions])],
  }
}

/**
 * Tells the hub, if there is one, that a session was answered, since messages of it may wait there. Has a deadline
 * and never throws. @returns false if it failed and is worth a retry
 */
export async function tellAnswer(
  answer: Answer,
  loaded: LoadedConfig,
  { now }: Pick<AttemptDeps, 'now'>,
): Promise<boolean> {
  const destination = listenerIn(loaded)
  if (!destination) return true
  const { notifier, options } = destination
  const { deliveryTimeoutSeconds, extraCaFile } = loaded.config
  try {
    await withDeadline(
      deliveryTimeoutSeconds * 1000,
      async (signal) =>
        await notifier.tellAnswer?.(answer, options, { signal, extraCaFile, now: now() }),
    )
    return true
  } catch (error) {
    return !isRetry(error)
  }
}

/** The hub. A configuration has at most one, so all channels whose notifier takes answers lead to the same one. */
function listenerIn(loaded: LoadedConfig): Destination | undefined {
  for (const channel of Object.keys(loaded.config.channels)) {
    const found = findDestination(channel, loaded)
    if (!('error' in found) && found.notifier.tellAnswer) return found
  }
  return undefined
}
