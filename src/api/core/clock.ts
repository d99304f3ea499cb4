import { clearTimeout, now, setTimeout } from '../timers.ts'
import type { Phase } from '../transport.ts'
import type { AttemptFailure } from './retry.ts'

const watched = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Runs a callback when a signal is aborted; the returned function removes the callback. All callbacks of
 * a signal share one listener, since Node.js warns of a leak when one signal has many listeners.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = watched.get(signal) ?? new Set()
  watched.set(signal, callbacks)
  if (callbacks.size === 0) signal.addEventListener('abort', runAll)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size === 0) signal.removeEventListener('abort', runAll)
  }
}

function runAll(this: AbortSignal) {
  for (const callback of [...(watched.get(this) ?? [])]) callback()
}

/** The pauses of a client's calls. They end when the client is closed. Not an `AbortSignal`, whose first one takes 1 ms. */
export class Pauses {
  /** Undefined once the client is closed. */
  #ends: Set<() => void> | undefined = new Set()

  /** Calls `end` when the client is closed, or at once if it is closed already. */
  add(end: () => void) {
    if (this.#ends) this.#ends.add(end)
    else end()
  }

  delete(end: () => void) {
    this.#ends?.delete(end)
  }

  endAll() {
    const ends = this.#ends ?? []
    this.#ends = undefined
    for (const end of ends) end()
  }
}

/** Tells a transport when one attempt is cut short, by a timeout or an abort. That happens at most once. */
export class Lifetime {
  /** Why it ended; undefined before. */
  endReason: Error | undefined
  #callbacks: ((reason: Error) => void)[] | undefined
  #controller: AbortController | undefined

  end(reason: Error) {
    if (this.endReason) return
    this.endReason = reason
    for (const callback of this.#callbacks ?? []) callback(reason)
    this.#controller?.abort(reason)
  }

  /** Calls back when the attempt is cut short, or at once if it already was. */
  readonly onEnd = (callback: (reason: Error) => void) => {
    if (this.endReason) return callback(this.endReason)
    this.#callbacks ??= []
    this.#callbacks.push(callback)
  }

  /** The attempt is complete. Drops the callbacks, which would otherwise keep their objects in memory. */
  settle() {
    this.#callbacks = undefined
  }

  /** The same as an `AbortSignal`. Created when first read, since that takes a tenth of a fast request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.endReason) this.#controller.abort(this.endReason)
    return this.#controller.signal
  }
}

/** The longest delay of a timer. A timer with a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Rejects an attempt that timed out or that the caller aborted. */
export class Ended extends Error {
  readonly failure: AttemptFailure & { kind: 'timeout' | 'aborted' }

  constructor(failure: Ended['failure']) {
    super('the attempt is over')
    this.failure = failure
  }
}

/** The failure of an attempt that timed out or was aborted; rethrows any other error. */
export function endedBy(error: unknown): { failure: Ended['failure'] } {
  if (error instanceof Ended) return { failure: error.failure }
  throw error
}

/**
 * Owns all timing of a call: one deadline and one abort signal cover its attempts and pauses. Has one
 * timer at a time and one abort listener, which `stop` removes.
 */
export class Clock {
  phase: Phase = 'credentials'
  readonly #startedAt: number
  readonly #deadlineMs: number
  readonly #signal: AbortSignal | undefined
  readonly #pauses: Pauses
  #life: Lifetime | undefined
  readonly #forget: (() => void) | undefined

  constructor(
    deadlineMs: number,
    signal: AbortSignal | undefined,
    pauses: Pauses,
    startedAt = now(),
  ) {
    this.#pauses = pauses
    this.#startedAt = startedAt
    this.#deadlineMs = deadlineMs
    this.#signal = signal
    if (signal) this.#forget = onAbort(signal, () => this.#life?.end(this.#aborted()))
  }

  /** The call is over, and with it the attempt that was left to finish its body. */
  stop(life?: Lifetime) {
    this.#forget?.()
    life?.settle()
  }

  get elapsedMs() {
    return Math.round(now() - this.#startedAt)
  }

  get remainingMs() {
    return this.#deadlineMs - (now() - this.#startedAt)
  }

  /**
   * Waits, but not beyond the close of the client. Rejects with `Ended` when the call is aborted or the deadline comes
   * first.
   */
  sleep(ms: number): Promise<void> {
    this.phase = 'wait'
    let timer: NodeJS.Timeout | undefined
    let end = () => {}
    const pause = () =>
      new Promise<void>((resolve) => {
        end = resolve
        timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS))
        this.#pauses.add(end)
      })
    return this.attempt(new Lifetime(), pause).finally(() => {
      clearTimeout(timer)
      this.#pauses.delete(end)
    })
  }

  /** Runs one attempt. Rejects with `Ended` at once when its time is over, whatever `run` is doing. */
  async attempt<T>(
    life: Lifetime,
    run: () => Promise<T>,
    timeoutMs = LONGEST_TIMER_MS,
  ): Promise<T> {
    if (this.#signal?.aborted) throw this.#aborted()
    this.#life = life
    const timer = this.#startTimer(life, timeoutMs)
    try {
      return await new Promise<T>((resolve, reject) => {
        life.onEnd(reject)
        run().then(resolve, reject)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  #startTimer(life: Lifetime, timeoutMs: number) {
    const remaining = Math.max(0, this.remainingMs)
    const limit = remaining <= timeoutMs ? 'deadlineMs' : 'timeoutMs'
    return setTimeout(
      () => life.end(this.#ended({ kind: 'timeout', limit })),
      Math.min(timeoutMs, remaining, LONGEST_TIMER_MS),
    )
  }

  #aborted() {
    return this.#ended({ kind: 'aborted', reason: this.#signal?.reason })
  }

  #ended(
    how:
      | { kind: 'timeout'; limit: 'timeoutMs' | 'deadlineMs' }
      | { kind: 'aborted'; reason: unknown },
  ) {
    const { phase } = this
    return new Ended({ ...how, phase, sent: /headers|body/.test(phase) })
  }
}

/** Waits, but not beyond an abort or the close of the client. */
export async function pause(ms: number, signal: AbortSignal | undefined, pauses: Pauses) {
  const clock = new Clock(Infinity, signal, pauses)
  await clock.sleep(ms).catch(endedBy)
  clock.stop()
}
