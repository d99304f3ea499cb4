import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AttemptFailure,
  makeRetryBudget,
  mayRepeat,
  parseRetryAfter,
  retryDelay,
} from '../../../src/api/core/retry.ts'

const now = Date.UTC(2026, 1, 3, 4, 5, 6)
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('the retry delay', () => {
  it('stays below a limit that doubles up to 8 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), random, (attempt, chance) => {
        const delay = retryDelay(attempt, undefined, chance)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThan(Math.min(8_000, 500 * 2 ** (attempt - 1)))
      }),
    )
  })

  it('is spread over the whole range', () => {
    expect(retryDelay(1, undefined, 0)).toBe(0)
    expect(retryDelay(1, undefined, 0.999)).toBe(499)
    expect(retryDelay(3, undefined, 0.5)).toBe(1_000)
    expect(retryDelay(50, undefined, 0.5)).toBe(4_000)
  })

  it('is exactly the requested time if the server sends one', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(1e9), random, (attempt, ms, chance) => {
        expect(retryDelay(attempt + 1, ms, chance)).toBe(ms)
      }),
    )
  })
})

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    ['3600', 3_600_000],
    ['0.5', 500],
    [' 2 ', 2_000],
    ['Tue, 03 Feb 2026 04:05:16 GMT', 10_000],
    ['Tuesday, 03-Feb-26 04:05:16 GMT', 10_000],
    ['Tue Feb  3 04:05:16 2026', 10_000],
    ['Tue Feb 13 04:05:06 2026', 864_000_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
    // `fetch` joins headers of the same name.
    ['1, 60', 1_000],
  ])('"%s" means %i ms', (text, expected) => {
    expect(parseRetryAfter({ 'retry-after': text }, now)).toBe(expected)
  })

  it.each([
    '',
    'soon',
    '-1',
    '1e3',
    'NaN',
    'Infinity',
    '0x10',
    '2026-02-03',
    ', 1',
    'Tue, 03 Foo 2026 04:05:16 GMT',
  ])('"%s" is ignored', (text) => {
    expect(parseRetryAfter({ 'retry-after': text }, now)).toBeUndefined()
  })

  it('in milliseconds takes precedence when it is valid', () => {
    const headers = { 'retry-after': '1', 'retry-after-ms': '20.5' }
    expect(parseRetryAfter(headers, now)).toBe(20.5)
    expect(parseRetryAfter({ ...headers, 'retry-after-ms': 'x' }, now)).toBe(1_000)
  })

  it('is parsed in all three date formats', () => {
    const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
    const seconds = fc.integer({ min: 0, max: 40 * 365 * 86_400 })
    fc.assert(
      fc.property(seconds, (ahead) => {
        const date = new Date(now + ahead * 1_000)
        const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
        const name = days[date.getUTCDay()]
        const forms = [
          date.toUTCString(),
          `${name}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
          `${name?.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`,
        ]
        for (const text of forms)
          expect(parseRetryAfter({ 'retry-after': text }, now)).toBe(ahead * 1_000)
      }),
    )
  })

  it('is never parsed as a negative or infinite time', () => {
    const text = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.constant('9'.repeat(400)),
    )
    fc.assert(
      fc.property(text, text, (seconds, ms) => {
        const asked = parseRetryAfter({ 'retry-after': seconds, 'retry-after-ms': ms }, now)
        if (asked === undefined) return
        expect(asked).toBeGreaterThanOrEqual(0)
        expect(Number.isFinite(asked)).toBe(true)
      }),
    )
  })
})

describe('the retry decision', () => {
  const http = (status: number, retryAfterMs?: number): AttemptFailure => ({
    kind: 'http',
    status,
    retryAfterMs,
  })
  const network = (sent: boolean, permanent = false): AttemptFailure => ({
    kind: 'network',
    phase: sent ? 'headers' : 'connect',
    sent,
    permanent,
    cause: undefined,
  })
  const timeout = (sent: boolean, limit: 'timeoutMs' | 'deadlineMs'): AttemptFailure => ({
    kind: 'timeout',
    phase: sent ? 'headers' : 'connect',
    sent,
    limit,
  })

  it.each([
    [http(429), true, 'if allowed'],
    [http(429, 5), true, 'if allowed'],
    [http(503, 5), true, 'if allowed'],
    [http(503), true, false],
    [http(500), true, false],
    [http(502), true, false],
    [http(504), true, false],
    [http(408), true, false],
    [http(501), false, false],
    [http(400), false, false],
    [http(401), false, false],
    [http(404), false, false],
    [http(302), false, false],
    [network(true), true, false],
    [network(false), true, true],
    [network(false, true), false, false],
    [timeout(true, 'timeoutMs'), true, false],
    [timeout(false, 'timeoutMs'), true, true],
    [timeout(false, 'deadlineMs'), false, false],
    [{ kind: 'aborted', phase: 'wait', sent: false, reason: 1 } as const, false, false],
  ])('for %o: safe request %s, unsafe request %s', (failure, safe, unsafe) => {
    for (const isAllowed of [true, false]) {
      expect(mayRepeat(failure, 'safe', isAllowed)).toBe(safe)
      expect(mayRepeat(failure, 'never', isAllowed)).toBe(
        unsafe === 'if allowed' ? isAllowed : unsafe,
      )
    }
  })
})

describe('the retry budget', () => {
  it('never allows more than ten retries plus a tenth of the calls', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (steps) => {
        const budget = makeRetryBudget()
        let earned = 0
        let spent = 0
        for (const isCall of steps) {
          if (isCall) {
            budget.earn()
            earned += 1
          } else if (budget.spend()) spent += 1
          expect(spent).toBeLessThanOrEqual(10 + earned / 10)
        }
      }),
    )
  })

  it('saves up at most ten retries', () => {
    const budget = makeRetryBudget()
    for (let i = 0; i < 1_000; i += 1) budget.earn()
    const spent = Array.from({ length: 20 }, () => budget.spend()).filter(Boolean)
    expect(spent).toHaveLength(10)
  })
})
