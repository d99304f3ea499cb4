import type { RetryClass } from '../operation.ts'
import type { Phase } from '../transport.ts'

/** Why an attempt failed, with the facts that decide about a retry. */
export type AttemptFailure =
  | { kind: 'network'; phase: Phase; sent: boolean; permanent: boolean; cause: unknown }
  | { kind: 'timeout'; phase: Phase; sent: boolean; limit: 'timeoutMs' | 'deadlineMs' }
  | { kind: 'aborted'; phase: Phase; sent: boolean; reason: unknown }
  | { kind: 'http'; status: number; retryAfterMs: number | undefined }

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 8_000

/**
 * How many milliseconds to wait after attempt number `attempt` (from 1): what the server asks for, else
 * exponential backoff with full jitter, so that many clients do not retry at the same moment.
 */
export function retryDelay(
  attempt: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  const limit = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
  return Math.floor(random * limit)
}

/** Whether the request may be sent again: it was not carried out, or a second copy does no harm. */
export function mayRepeat(failure: AttemptFailure, retry: RetryClass): boolean {
  if (!isPassing(failure)) return false
  return retry === 'safe' || !mayBeApplied(failure)
}

/** Whether the server may have carried out the request although the attempt failed. */
export function mayBeApplied(failure: AttemptFailure): boolean {
  if (failure.kind !== 'http') return failure.sent
  if (failure.status === 503) return failure.retryAfterMs === undefined
  // 303 leads to the result of a request that was carried out.
  return failure.status >= 500 || failure.status === 408 || failure.status === 303
}

/** Whether the same request may succeed later. */
function isPassing(failure: AttemptFailure): boolean {
  if (failure.kind === 'network') return !failure.permanent
  if (failure.kind === 'timeout') return failure.limit === 'timeoutMs'
  if (failure.kind === 'aborted') return false
  const { status } = failure
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505)
}

const SHARE = 0.1
const BURST = 10

/** Limits a client's retries to a tenth of its calls plus ten, so that retries do not prolong an outage. */
export function makeRetryBudget() {
  let tokens = BURST
  return {
    /** Adds a tenth of a retry. Called once per call. */
    earn() {
      tokens = Math.min(BURST, tokens + SHARE)
    },
    /** Takes one retry; false if there is none left. */
    spend(): boolean {
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}

export type RetryBudget = ReturnType<typeof makeRetryBudget>
