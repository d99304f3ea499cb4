import { describeError } from '../../errors.ts'
import { Changes } from '../wake-up.ts'

const FIRST_MS = 1000

const MAX_MS = 60_000

/** How long after its pause a failure is remembered: by then the file has gone, or another worker handles it. */
const FORGET_AFTER_MS = 10 * MAX_MS

/** How many events are prepared concurrently, since preparing waits for transcripts to be read. */
const MAX_EVENTS = 64

/** How many messages they make together, unless a single one makes more. */
const MAX_MESSAGES = 128

/** Their size together, unless a single one is larger: in memory each takes several times the size of its file. */
const MAX_BYTES = 2 * 1024 * 1024

/** How many different faults are kept. */
const MAX_FAULTS = 100

/** The work that a worker has begun and that has not ended. */
export class InFlight {
  readonly #works = new Set<Promise<void>>()
  readonly #changes = new Changes()
  readonly #onEnd: () => void

  /** @param onEnd called whenever a piece of work has ended */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#works.size
  }

  get all(): Promise<void>[] {
    return [...this.#works]
  }

  /** @param work must not reject */
  add(work: Promise<void>) {
    const added = work.then(() => {
      this.#works.delete(added)
      this.ended()
    })
    this.#works.add(added)
  }

  /** Notifies everybody who waits that some work has ended. To be called also for work that is not counted here. */
  ended() {
    this.notify()
    this.#onEnd()
  }

  /** Resolves at the next `notify`, and when a piece of work has ended. */
  change(): Promise<void> {
    return this.#changes.next()
  }

  notify() {
    this.#changes.notify()
  }
}

/** Events and deliveries that failed unexpectedly (a full disk, a bug), with a pause that grows with each failure. */
export class RetryTimes {
  readonly #now: () => number
  readonly #names = new Map<string, { times: number; until: number }>()

  /** @param now milliseconds of a clock that is never set back */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds until the next pause ends; undefined if there is none. */
  get nextInMs(): number | undefined {
    const now = this.#now()
    let next: number | undefined
    for (const { until } of this.#names.values()) {
      if (until > now) next = Math.min(next ?? Number.POSITIVE_INFINITY, until - now)
    }
    return next
  }

  has(name: string): boolean {
    return (this.#names.get(name)?.until ?? 0) > this.#now()
  }

  /** @param times how often it was tried, including this time */
  add(name: string, times: number) {
    const ms = Math.min(FIRST_MS * 2 ** (times - 1), MAX_MS)
    this.#names.set(name, { times, until: this.#now() + ms })
  }

  timesOf(name: string): number {
    return this.#names.get(name)?.times ?? 0
  }

  delete(name: string) {
    this.#names.delete(name)
  }

  forgetOld() {
    const now = this.#now()
    for (const [name, { until }] of this.#names) {
      if (until + FORGET_AFTER_MS <= now) this.#names.delete(name)
    }
  }
}

/**
 * Claims that could be neither handled nor given back, such as while a network disk did not respond. Only this worker can
 * try them again.
 */
export class Unreleased {
  readonly #retryTimes: RetryTimes
  readonly #faults: Faults
  /** By name: how to give it back. */
  readonly #claims = new Map<string, () => Promise<string>>()

  constructor(retryTimes: RetryTimes, faults: Faults) {
    this.#retryTimes = retryTimes
    this.#faults = faults
  }

  /** Gives a claim back, or keeps it for later. @returns its name from then on; undefined if it is kept */
  async release(name: string, release: () => Promise<string>): Promise<string | undefined> {
    try {
      return await release()
    } catch (error) {
      this.#faults.note(name, error)
      this.#claims.set(name, release)
      return undefined
    }
  }

  forget(name: string) {
    this.#claims.delete(name)
  }

  /** Gives back those whose pause is over. */
  async tryAgain() {
    for (const [name, release] of [...this.#claims]) {
      if (this.#retryTimes.has(name)) continue
      const times = this.#retryTimes.timesOf(name) + 1
      this.#claims.delete(name)
      if ((await this.release(name, release)) === undefined) this.#retryTimes.add(name, times)
    }
  }
}

/** Counts the events and deliveries that are being prepared. */
export class Preparing {
  /**
   * How many messages each event makes. 1 while few wait: then memory matters less than not waiting for a slow
   * transcript.
   */
  messagesEach = 1
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  admits(bytes: number): boolean {
    if (this.#count === 0) return true
    const events = this.#count + 1
    const isFew = events <= MAX_EVENTS && events * this.messagesEach <= MAX_MESSAGES
    return isFew && this.#bytes + bytes <= MAX_BYTES
  }

  /** @returns the function to call when it is prepared; further calls do nothing */
  begin(bytes: number): () => void {
    this.#count += 1
    this.#bytes += bytes
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      this.#count -= 1
      this.#bytes -= bytes
    }
  }
}

/** Unexpected faults, for a worker in the foreground to report. */
export class Faults {
  readonly #texts = new Set<string>()

  get texts(): string[] {
    return [...this.#texts]
  }

  note(name: string, error: unknown) {
    if (this.#texts.size < MAX_FAULTS) this.#texts.add(`${name}: ${describeError(error)}`)
  }

  /** Runs the work and notes a failure, so that one unusable folder or file does not stop the rest. */
  isolate<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.note(what, error)
      return undefined
    }
  }
}
