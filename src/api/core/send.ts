import { type Attempt, type Call, type Sender, tryOnce } from './attempt.ts'
import { Clock, Ended } from './clock.ts'
import {
  type AttemptFailure,
  mayBeApplied,
  mayRepeat,
  type RetryBudget,
  retryDelay,
} from './retry.ts'

export interface SendDeps extends Sender {
  budget: RetryBudget
  onAttempt: ((report: AttemptReport) => void) | undefined
}

/** What happened in one attempt, for logs. */
export interface AttemptReport {
  attempt: number
  elapsedMs: number
  status?: number
  failure?: AttemptFailure['kind']
  /** There is another attempt after this pause. */
  retryInMs?: number
}

export interface Outcome {
  last: Attempt
  attempts: number
  elapsedMs: number
  /** The request may have been carried out, in the last attempt or before. */
  mayBeApplied: boolean
  /** The last attempt says that what was to be deleted is gone. */
  isReplay: boolean
  budgetSpent: boolean
}

/** Sends a request until there is an answer, or it must not be repeated, or the time is over. */
export async function send(call: Call, around: SendDeps, startedAt: number): Promise<Outcome> {
  const clock = new Clock(call.deadlineMs, call.signal, startedAt)
  around.budget.earn()
  try {
    return await repeat(call, around, clock)
  } finally {
    clock.stop()
  }
}

async function repeat(call: Call, around: SendDeps, clock: Clock): Promise<Outcome> {
  let appliedBefore = false
  for (let attempts = 1; ; attempts += 1) {
    const last = await tryOnce(call, around, clock).catch((error: unknown) => {
      throw attempts > 1 ? withPast(error, call, attempts - 1, appliedBefore) : error
    })
    const { delayMs, budgetSpent } = plan(last, attempts, call, around.budget, clock)
    const applied: boolean = appliedBefore || last.kind === 'answered' || mayBeApplied(last.failure)
    const { elapsedMs } = clock
    around.onAttempt?.(reportOf(last, attempts, elapsedMs, delayMs))
    const end = { attempts, elapsedMs, mayBeApplied: applied, budgetSpent, isReplay: false }
    if (delayMs === undefined)
      return { ...end, last, isReplay: call.treat404AsDeleted && appliedBefore && isGone(last) }
    appliedBefore = applied
    const stopped = await pause(clock, delayMs)
    if (stopped) return { ...end, elapsedMs: clock.elapsedMs, last: stopped }
  }
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
  if (received) report.status = received.status
  if (last.kind === 'failed') report.failure = last.failure.kind
  if (retryInMs !== undefined) report.retryInMs = retryInMs
  return report
}
