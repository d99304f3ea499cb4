import type { AttemptFailure } from './retry.ts'

/** What happened in one attempt, for logs. */
export interface AttemptReport {
  /** Counts the attempts of the call, from 1. */
  attempt: number
  /** How long this attempt took, in milliseconds. */
  elapsedMs: number
  status?: number
  requestId?: string
  failure?: AttemptFailure['kind']
  /** There is another attempt after this pause. */
  retryInMs?: number
}
