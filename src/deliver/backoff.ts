import type { RetryPolicy } from '../config/schema/schema.ts'

/** A receiver that fails each time and asks for an immediate retry must not be hammered. */
const MIN_RETRY_AFTER_MS = 1000
/** Attempts made however old the first one is: while a machine is off, time passes without attempts. */
const MIN_ATTEMPTS = 5

type Delays = Pick<RetryPolicy, 'firstDelaySeconds' | 'maxDelaySeconds' | 'maxAgeHours'>

/**
 * How long to wait after the given failed attempt, in ms: exponential, capped, with jitter in the upper half so that
 * many events are not retried at the same moment. A receiver's `retryAfterMs` is used instead, within limits.
 */
export function retryDelay(
  attempt: number,
  policy: Delays,
  random: number,
  retryAfterMs?: number,
): number {
  if (retryAfterMs !== undefined) {
    return Math.max(MIN_RETRY_AFTER_MS, Math.min(retryAfterMs, policy.maxAgeHours * 3600_000))
  }
  const doubled = policy.firstDelaySeconds * 2 ** (attempt - 1)
  const capped = Math.min(doubled, policy.maxDelaySeconds) * 1000
  return capped * (0.5 + random / 2)
}

/** Why there will be no further attempt, or undefined. `ageMs`: since the first attempt. */
export function whyGiveUp(
  attempt: number,
  ageMs: number,
  policy: Pick<RetryPolicy, 'maxAttempts' | 'maxAgeHours'>,
): string | undefined {
  if (attempt >= policy.maxAttempts) {
    return `gave up after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`
  }
  const isOld = ageMs >= policy.maxAgeHours * 3600_000
  if (isOld && attempt >= MIN_ATTEMPTS) return `gave up after ${policy.maxAgeHours} hours`
  return undefined
}
