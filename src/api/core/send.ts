import { now } from '../timers.ts'
import { type Attempt, type Call, type Sender, tryOnce } from './attempt.ts'
import type { AttemptReport } from './attempt-report.ts'
import { Clock, Ended } from './clock.ts'
import { mayBeApplied, mayRepeat, type RetryBudget, retryDelay } from './retry.ts'
import { requestIdOf } from './to-http-error.ts'

export interface SendDeps extends Sender {
  budget: RetryBudget
  onAttempt: ((report: AttemptReport) => void) | undefined
}

export interface Outcome {
  last: Attempt
  attempts: number
  elapsedMs: number
  /** The request may have been carried out, in the last attempt or before. */
  mayBeApplied: boolean
  /** The first response was lost, and the last attempt says that what was to be deleted is gone. */
  isReplay: boolean
  budgetSpent: boolean
}

/** Sends a request until there is a response, or it must not be repeated, or the time is over. */
export async function send(call: Call, deps: SendDeps, startedAt: number): Promise<Outcome> {
  const clock = new Clock(call.deadlineMs, call.signal, startedAt)
  deps.budget.earn()
  try {
    return await repeat(call, deps, clock)
  } finally {
    clock.stop()
  }
}

async function repeat(call: Call, deps: SendDeps, clock: Clock): Promise<Outcome> {
  const past: Past = { mayBeApplied: false, wasAnswered: false }
  for (let attempts = 1; ; attempts += 1) {
    const startedAt = now()
    const last = await tryOnce(call, deps, clock, attempts).catch((error: unknown) => {
      throw attempts > 1 ? withPast(error, call, attempts - 1, past.mayBeApplied) : error
    })
    const { delayMs, budgetSpent } = plan(last, attempts, call, deps.budget, clock)
    const applied = past.mayBeApplied || last.kind === 'answered' || mayBeApplied(last.failure)
    const attemptMs = Math.round(now() - startedAt)
    deps.onAttempt?.(reportOf(last, attempts, attemptMs, delayMs))
    const { elapsedMs } = clock
    const end = { attempts, elapsedMs, mayBeApplied: applied, budgetSpent, isReplay: false }
    if (delayMs === undefined)
      return { ...end, last, isReplay: call.treat404AsDeleted && isReplay(past, last) }
    past.mayBeApplied = applied
    past.wasAnswered ||= last.kind === 'failed' && last.failure.kind === 'http'
    const stopped = await pause(clock, delayMs)
    if (stopped) return { ...end, elapsedMs: clock.elapsedMs, last: stopped }
  }
}

/** What the attempts before the present one have come to. */
interface Past {
  mayBeApplied: boolean
  wasAnswered: boolean
}

/**
 * Whether a 404 means that an earlier attempt deleted it. Only if the response to that attempt was lost: a 502
 * or any other status is a response, and says that it was not deleted, or not by us.
 */
function isReplay(past: Past, last: Attempt): boolean {
  return past.mayBeApplied && !past.wasAnswered && isGone(last)
}

/** What was sent before there was no key any more. */
function withPast(error: unknown, { method }: Call, attempts: number, applied: boolean): unknown {
  const outcome = applied && method !== 'GET' && method !== 'HEAD' ? { outcome: 'unknown' } : {}
  return Object.assign(Object(error), { method, attempts, ...outcome })
}

function plan(last: Attempt, attempts: number, call: Call, budget: RetryBudget, clock: Clock) {
  const stop = { delayMs: undefined, budgetSpent: false }
  if (last.kind === 'answered' || attempts > call.retries) return stop
  if (!mayRepeat(last.failure, call.retry)) return stop
  const asked = last.failure.kind === 'http' ? last.failure.retryAfterMs : undefined
  const delayMs = retryDelay(attempts, asked, Math.random())
  // A pause that outlives the deadline is time lost: better to fail now.
  if (delayMs >= clock.remainingMs) return stop
  return budget.spend() ? { delayMs, budgetSpent: false } : { ...stop, budgetSpent: true }
}

async function pause(clock: Clock, delayMs: number): Promise<Attempt | undefined> {
  try {
    await clock.sleep(delayMs)
    return undefined
  } catch (error) {
    if (error instanceof Ended) return { kind: 'failed', failure: error.failure }
    throw error
  }
}

function isGone(last: Attempt) {
  return last.kind === 'failed' && last.failure.kind === 'http' && last.failure.status === 404
}

function reportOf(last: Attempt, attempt: number, elapsedMs: number, retryInMs?: number) {
  const received = last.kind === 'answered' ? last.received : last.refusal
  const report: AttemptReport = { attempt, elapsedMs }
  if (received) {
    report.status = received.status
    const requestId = requestIdOf(received.headers)
    if (requestId !== undefined) report.requestId = requestId
  }
  if (last.kind === 'failed') report.failure = last.failure.kind
  if (retryInMs !== undefined) report.retryInMs = retryInMs
  return report
}
