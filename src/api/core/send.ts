import type { ErrorFacts } from '../errors.ts'
import { withoutUndefined } from '../record.ts'
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
  /** Facts that every error of this call carries. */
  facts: ErrorFacts & { attempts: number; elapsedMs: number }
  /** A deletion whose response was lost, and whose retry got a 404: the target is deleted. */
  isReplay: boolean
}

/** Sends a request and retries it until it succeeds, must not be repeated, or runs out of time. */
export async function send(call: Call, deps: SendDeps, startedAt: number): Promise<Outcome> {
  const clock = new Clock(call.limits.deadlineMs, call.signal, startedAt)
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
  const { method, route, retry } = call.target
  const isDeletion = method === 'DELETE' && retry === 'safe'
  // Adds whether the request may have changed something.
  const complete = <Facts extends ErrorFacts>(facts: Facts): Facts => {
    if (wasApplied && !/GET|HEAD/.test(method)) facts.outcome = 'unknown'
    return facts
  }
  for (let attempts = 1; ; attempts += 1) {
    const startedAt = now()
    const last = await tryOnce(call, deps, clock, attempts).catch((error: unknown) => {
      // Getting the key or a hook failed before a retry: the error still tells what was sent before.
      throw attempts > 1
        ? Object.assign(Object(error), complete({ method, attempts: attempts - 1 }))
        : error
    })
    const { delayMs, hint } = plan(last, attempts, call, deps.budget, clock)
    // A 404 means that an earlier attempt deleted the target, but only if no response to it arrived. After any
    // response, even a 502, it was not deleted, or not by us.
    const status = last.failure?.kind === 'http' ? last.failure.status : undefined
    const isReplay = isDeletion && wasApplied && !wasAnswered && status === 404
    wasApplied ||= !last.failure || mayBeApplied(last.failure)
    wasAnswered ||= status !== undefined
    deps.onAttempt?.(reportOf(last, attempts, Math.round(now() - startedAt), delayMs))
    const stopped = delayMs === undefined ? last : await pause(clock, delayMs)
    if (!stopped) continue
    const facts: Outcome['facts'] = { method, attempts, route, elapsedMs: clock.elapsedMs }
    if (hint) facts.hint = hint
    return { last: stopped, facts: complete(facts), isReplay }
  }
}

function plan(
  last: Attempt,
  attempts: number,
  call: Call,
  budget: RetryBudget,
  clock: Clock,
): { delayMs?: number; hint?: string } {
  const { failure } = last
  if (!failure || attempts > call.limits.retries || !mayRepeat(failure, call.target.retry))
    return {}
  const asked = failure.kind === 'http' ? failure.retryAfterMs : undefined
  const delayMs = retryDelay(attempts, asked, Math.random())
  // A pause that lasts beyond the deadline would only waste time: fail now.
  if (delayMs >= clock.remainingMs) return {}
  return budget.spend() ? { delayMs } : { hint: 'many requests fail, so it was not retried' }
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
  const { received, failure } = last
  const report = { attempt, elapsedMs, failure: failure?.kind, retryInMs, status: received?.status }
  const requestId = requestIdOf(received?.headers)
  return withoutUndefined({ ...report, requestId }) as AttemptReport
}
