import type { RetryClass } from '../operation.ts'
import type { Phase, ResponseHeaders } from '../transport.ts'

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

/**
 * Whether the request may be sent again: a second copy does no harm, or nothing was sent. A response with 429 or 503 says
 * that it was not carried out, but a gateway may send it afterwards: the caller decides whether to believe it.
 */
export function mayRepeat(
  failure: AttemptFailure,
  retry: RetryClass,
  retryRejected: boolean,
): boolean {
  if (!isPassing(failure)) return false
  if (retry === 'safe') return true
  return failure.kind === 'http' && !retryRejected ? false : !mayBeApplied(failure)
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

// The three forms of RFC 9110, section 5.6.7; the older two have a two-digit year or no time zone.
const HTTP_DATE =
  /^(\w{3,9}, \d\d([ -])\w{3}\2(\d{4}|\d\d) (\d\d:){2}\d\d( GMT)|\w{3} \w{3} [ \d]\d (\d\d:){2}\d\d \d{4})$/i
/** In seconds or milliseconds: longer than anyone waits. */
const LONGEST = 1e15
const CENTURY_MS = 36_525 * 24 * 3_600_000

/**
 * How long the server asks to wait before a retry, in milliseconds; undefined if its headers do not say so
 * in a known form. A date that has passed means 0.
 */
export function parseRetryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const precise = parseNumber(first(headers['retry-after-ms']))
  if (precise !== undefined) return precise
  const text = first(headers['retry-after'])
  const seconds = parseNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = parseHttpDate(text, now)
  return date === undefined ? undefined : Math.max(0, date - now)
}

function first(value: ResponseHeaders[string] = ''): string {
  return String([value].flat()[0]).trim()
}

function parseNumber(text: string): number | undefined {
  // Where a header comes twice, `fetch` joins the values.
  const [, number] = /^(\d+(?:\.\d+)?)(?:,|$)/.exec(text) ?? []
  if (!number) return undefined
  // A number with hundreds of digits would become Infinity and break later arithmetic.
  return Math.min(Number(number), LONGEST)
}

function parseHttpDate(text: string, now: number): number | undefined {
  const [date, , , year, , zone] = HTTP_DATE.exec(text) ?? []
  const time = Date.parse(zone ? text : `${date} GMT`)
  if (Number.isNaN(time)) return undefined
  // A two-digit year belongs to the century that brings it nearest to now.
  return year?.length === 2 ? time + Math.round((now - time) / CENTURY_MS) * CENTURY_MS : time
}
