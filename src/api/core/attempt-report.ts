import type { AttemptFailure } from './retry.ts'

/** What happened in one attempt, for logs. */
export interface AttemptReport {
  /** Number of this attempt within the call, from 1. */
  attempt: number
  /** How long this attempt took, in milliseconds. */
  elapsedMs: number
  status?: number
  requestId?: string
  failure?: AttemptFailure['kind']
  /** The pause before the next attempt, in milliseconds. Left out if this was the last one. */
  retryInMs?: number
}
