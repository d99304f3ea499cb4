import type { RetryPolicy } from '../config/schema.ts'

/**
 * How long to wait after the given failed attempt, in ms: doubling, capped, and somewhere in the upper half so
 * that many events do not come back at once. A receiver's own wish is obeyed exactly.
 */
export function retryDelay(
  attempt: number,
  policy: Pick<RetryPolicy, 'firstDelaySeconds' | 'maxDelaySeconds'>,
  random: number,
  retryAfterMs?: number,
): number {
  if (retryAfterMs !== undefined) return Math.max(0, retryAfterMs)
  const doubled = policy.firstDelaySeconds * 2 ** Math.min(attempt - 1, 30)
  const capped = Math.min(doubled, policy.maxDelaySeconds) * 1000
  return capped * (0.5 + random / 2)
}

/** Why there will be no further attempt, or undefined. */
export function whyGiveUp(
  attempt: number,
  ageMs: number,
  policy: Pick<RetryPolicy, 'maxAttempts' | 'maxAgeHours'>,
): string | undefined {
  if (attempt >= policy.maxAttempts) return `gave up after ${attempt} attempts`
  if (ageMs >= policy.maxAgeHours * 3600_000) return `gave up after ${policy.maxAgeHours} hours`
  return undefined
}
