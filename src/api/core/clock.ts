import { clearTimeout, now, setTimeout } from '../timers.ts'
import type { Phase } from '../transport.ts'
import { Lifetime } from './lifetime.ts'
import { onAbort } from './on-abort.ts'
import type { AttemptFailure } from './retry.ts'

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

/**
 * Owns all timing of a call: one deadline and one abort signal cover its attempts and pauses. Has one
 * timer at a time and one abort listener, which `stop` removes.
 */
export class Clock {
  phase: Phase = 'credentials'
  readonly #startedAt: number
  readonly #deadlineMs: number
  readonly #signal: AbortSignal | undefined
  #end: ((failure: Ended['failure']) => void) | undefined
  readonly #forget: (() => void) | undefined

  constructor(deadlineMs: number, signal: AbortSignal | undefined, startedAt = now()) {
    this.#startedAt = startedAt
    this.#deadlineMs = deadlineMs
    this.#signal = signal
    if (signal) this.#forget = onAbort(signal, () => this.#end?.(this.#aborted()))
  }

  stop() {
    this.#forget?.()
  }

  get elapsedMs() {
    return Math.round(now() - this.#startedAt)
  }

  get remainingMs() {
    return this.#deadlineMs - (now() - this.#startedAt)
  }

  /** Waits. Rejects with `Ended` when the call is aborted or the deadline comes first. */
  sleep(ms: number): Promise<void> {
    this.phase = 'wait'
    let timer: NodeJS.Timeout | undefined
    const pause = () =>
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS))
      })
    return this.attempt(new Lifetime(), pause).finally(() => clearTimeout(timer))
  }

  /** Runs one attempt. Rejects with `Ended` at once when its time is over, whatever `run` is doing. */
  attempt<T>(
    life: Lifetime,
    run: () => Promise<T>,
    timeoutMs = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#signal?.aborted) return reject(new Ended(this.#aborted()))
      const end = (failure: Ended['failure']) => {
        const ended = new Ended(failure)
        reject(ended)
        life.end(ended)
        settle()
      }
      const timer = this.#startTimer(timeoutMs, end)
      this.#end = end
      const settle = () => {
        clearTimeout(timer)
        if (this.#end === end) this.#end = undefined
        life.settle()
      }
      const settleAnd =
        <V>(next: (value: V) => void) =>
        (value: V) => {
          settle()
          next(value)
        }
      run().then(settleAnd(resolve), settleAnd(reject))
    })
  }

  #startTimer(timeoutMs: number, end: (failure: Ended['failure']) => void) {
    const remaining = Math.max(0, this.remainingMs)
    const limit = remaining <= timeoutMs ? 'deadlineMs' : 'timeoutMs'
    return setTimeout(
      () => end({ kind: 'timeout', phase: this.phase, sent: this.#sent, limit }),
      Math.min(timeoutMs, remaining, LONGEST_TIMER_MS),
    )
  }

  #aborted(): Ended['failure'] {
    return { kind: 'aborted', phase: this.phase, sent: this.#sent, reason: this.#signal?.reason }
  }

  get #sent() {
    return this.phase === 'headers' || this.phase === 'body'
  }
}
