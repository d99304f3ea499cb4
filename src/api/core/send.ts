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
  let wasApplied = false
  let wasAnswered = false
  for (let attempts = 1; ; attempts += 1) {
    const startedAt = now()
    const last = await tryOnce(call, deps, clock, attempts).catch((error: unknown) => {
      throw attempts > 1 ? withPast(error, call, attempts - 1, wasApplied) : error
    })
    const { delayMs, budgetSpent } = plan(last, attempts, call, deps.budget, clock)
    // A 404 says that an earlier attempt deleted it, if the response to that was lost. A 502 or any other status is a
    // response, and says that it was not deleted, or not by us.
    const isReplay = isDeletion(call) && wasApplied && !wasAnswered && statusOf(last) === 404
    wasApplied ||= !last.failure || mayBeApplied(last.failure)
    wasAnswered ||= statusOf(last) !== undefined
    deps.onAttempt?.(reportOf(last, attempts, Math.round(now() - startedAt), delayMs))
    const stopped = delayMs === undefined ? last : await pause(clock, delayMs)
    if (!stopped) continue
    const { elapsedMs } = clock
    return { last: stopped, attempts, elapsedMs, mayBeApplied: wasApplied, budgetSpent, isReplay }
  }
}

/** Its repeat changes nothing more. */
function isDeletion({ method, retry }: Call): boolean {
  return method === 'DELETE' && retry === 'safe'
}

/** That of a refusal. */
function statusOf({ failure }: Attempt): number | undefined {
  return failure?.kind === 'http' ? failure.status : undefined
}

/** What was sent before there was no key any more. */
function withPast(error: unknown, { method }: Call, attempts: number, wasApplied: boolean) {
  return Object.assign(Object(error), { method, attempts, ...outcomeOf(method, wasApplied) })
}

/** Says of a failed call whether it may have changed something. */
export function outcomeOf(method: string, wasApplied: boolean): { outcome?: 'unknown' } {
  return wasApplied && method !== 'GET' && method !== 'HEAD' ? { outcome: 'unknown' } : {}
}

function plan(last: Attempt, attempts: number, call: Call, budget: RetryBudget, clock: Clock) {
  const stop = { delayMs: undefined, budgetSpent: false }
  const { failure } = last
  if (!failure || attempts > call.retries || !mayRepeat(failure, call.retry)) return stop
  const asked = failure.kind === 'http' ? failure.retryAfterMs : undefined
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
    if (error instanceof Ended) return { failure: error.failure }
    throw error
  }
}

function reportOf(last: Attempt, attempt: number, elapsedMs: number, retryInMs?: number) {
  const { received } = last
  const report: AttemptReport = { attempt, elapsedMs }
  if (received) {
    report.status = received.status
    const requestId = requestIdOf(received.headers)
    if (requestId !== undefined) report.requestId = requestId
  }
  if (last.failure) report.failure = last.failure.kind
  if (retryInMs !== undefined) report.retryInMs = retryInMs
  return report
}
