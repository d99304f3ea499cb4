import type { ErrorFacts } from '../errors.ts'
import { withoutUndefined } from '../record.ts'
import { now } from '../timers.ts'
import { type Attempt, type Call, tryOnce } from './attempt.ts'
import { Clock, endedBy } from './clock.ts'
import { requestIdOf } from './failure.ts'
import type { CallReport } from './options.ts'
import { mayBeApplied, mayRepeat, retryDelay } from './retry.ts'

export interface Outcome {
  last: Attempt
  /** Facts that every error of this call carries. */
  facts: ErrorFacts & { attempts: number; elapsedMs: number }
  /** A deletion whose response was lost, and whose retry got a 404: the target is deleted. */
  isReplay: boolean
}

/** Sends a request and retries it until it succeeds, must not be repeated, or runs out of time. */
export async function send(call: Call, startedAt: number): Promise<Outcome> {
  const { limits, shared, signal } = call
  const clock = new Clock(limits.deadlineMs, signal, shared.pauses, startedAt)
  shared.budget.earn()
  let outcome: Outcome | undefined
  try {
    outcome = await repeat(call, clock)
    return outcome
  } finally {
    // A body that still arrives stops it at its end.
    if (!(outcome && 'arriving' in outcome.last)) clock.stop()
  }
}

async function repeat(call: Call, clock: Clock): Promise<Outcome> {
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
    const last = await tryOnce(call, clock, attempts).catch((error: unknown) => {
      // Getting the key or a hook failed before a retry: the error still tells what was sent before.
      throw attempts > 1
        ? Object.assign(Object(error), complete({ method, attempts: attempts - 1 }))
        : error
    })
    const { delayMs, hint } = plan(last, attempts, call, clock)
    // A 404 means that an earlier attempt deleted the target, but only if no response to it arrived. After any
    // response, even a 502, it was not deleted, or not by us.
    const status = last.failure?.kind === 'http' ? last.failure.status : undefined
    const isReplay = isDeletion && wasApplied && !wasAnswered && status === 404
    wasApplied ||= !last.failure || mayBeApplied(last.failure)
    wasAnswered ||= status !== undefined
    report(call, last, attempts, startedAt, delayMs)
    const stopped = delayMs === undefined ? last : await clock.sleep(delayMs).catch(endedBy)
    if (!stopped) continue
    const facts: Outcome['facts'] = { method, attempts, route, elapsedMs: clock.elapsedMs }
    if (hint) facts.hint = hint
    return { last: stopped, facts: complete(facts), isReplay }
  }
}

const REJECTED = 'it was not repeated, since that might do it twice (option retryRejected)'

function plan(
  last: Attempt,
  attempts: number,
  call: Call,
  clock: Clock,
): { delayMs?: number; hint?: string } {
  const { failure } = last
  const { retries, retryRejected } = call.limits
  if (!failure || attempts > retries) return {}
  if (!mayRepeat(failure, call.target.retry, retryRejected))
    return mayRepeat(failure, call.target.retry, true) ? { hint: REJECTED } : {}
  const asked = failure.kind === 'http' ? failure.retryAfterMs : undefined
  const delayMs = retryDelay(attempts, asked, Math.random())
  // A pause that lasts beyond the deadline would only waste time: fail now.
  if (delayMs >= clock.remainingMs) return {}
  return call.shared.budget.spend()
    ? { delayMs }
    : { hint: 'many requests fail, so it was not retried' }
}

function report(
  { id: callId, shared, secrets, target }: Call,
  { received, failure }: Attempt,
  attempt: number,
  startedAt: number,
  retryInMs: number | undefined,
) {
  if (!shared.reportAttempt) return
  const { method, route } = target
  const elapsedMs = Math.round(now() - startedAt)
  const report = {
    ...{ callId, method, route, attempt, elapsedMs, failure: failure?.kind, retryInMs },
    status: received?.status,
    requestId: requestIdOf(received?.headers, secrets),
  }
  shared.reportAttempt(withoutUndefined(report) as CallReport)
}
