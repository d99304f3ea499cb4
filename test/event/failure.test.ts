import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explain, failureOf, isLimitText, resetTimeOf } from '../../src/event/failure.ts'
import { makeAgentEvent } from '../support/payload.ts'

const now = Date.parse('2026-11-20T11:00:30Z')

const at = Date.parse('2026-11-20T09:00Z')

it.each([
  [{ error: 'rate_limit', error_details: 'Wait' }, '', 'Wait'],
  [{ error_type: 'overloaded' }, 'The API is busy', 'overloaded'],
  [{}, 'The API is busy', 'The API is busy'],
  [{ error: ' 529 {"error":{"message":" Overloaded "}}' }, '', '529 Overloaded'],
  [{ error: '{"message":"Overloaded"}' }, '', 'Overloaded'],
  [{ error: '529 {"code":7}' }, '', '529 {"code":7}'],
  [{ error: 'in {braces}' }, '', 'in {braces}'],
  [{ status: 'error' }, '', ''],
  [{ status: 'error', error_message: 'Overloaded' }, '', 'Overloaded'],
  [{ error: 'a'.repeat(5000) }, '', 'a'.repeat(4096)],
])('the reason of a failure with %j and the answer %j is %j', (payload, spoken, reason) => {
  expect(failureOf(payload, at, spoken).reason).toBe(reason)
})

it('a limit and the time at which it ends are found in any text of the failure', () => {
  const resetsAt = at + 3_600_000
  const limit = { isLimit: true, resetsAt }
  expect(failureOf({ error_type: 'rate_limit' }, at, 'Try again in 1 hour')).toMatchObject(limit)
  expect(
    failureOf({ error: 'quota, again in 1 hour', error_details: 'Wait' }, at, ''),
  ).toMatchObject(limit)
  const other = failureOf({ error: 'Overloaded' }, at, 'Try again in 1 hour')
  expect(other).toMatchObject({ isLimit: false, resetsAt: undefined })
})

const hours = (count: number) => count * 3_600_000

describe('a usage limit', () => {
  it.each([
    ["You've hit your weekly limit", true],
    ['Usage limit reached', true],
    ['429 Too Many Requests', true],
    ['rate_limit', true],
    ['You exceeded your current quota', true],
    ['Invalid API key', false],
    ['prompt is too long', false],
    ['API Error: 529 Overloaded', false],
    ['', false],
  ])('is recognised in %j: %s', (text, is) => {
    expect(isLimitText(text)).toBe(is)
  })

  it.each([
    ['Claude AI usage limit reached|1795186800', 1_795_186_800_000],
    ['{"resets_at": 1795186800}', 1_795_186_800_000],
    ['Limit resets at 2026-11-20T15:30:00Z', Date.parse('2026-11-20T15:30:00Z')],
    ['Try again in 2 hours 5 minutes', now + hours(2) + 300_000],
    ['Please try again in 20s', now + 20_000],
    ['try again in 3 days 4 hours', now + hours(76)],
    ['Please retry after 90 seconds', now + 90_000],
    ['limit resets 3pm (Europe/Berlin)', Date.parse('2026-11-20T14:00:00Z')],
    ['Your limit will reset at 12:30 AM (America/New_York)', Date.parse('2026-11-21T05:30:00Z')],
    ['resets 11:00 (UTC)', Date.parse('2026-11-21T11:00:00Z') - hours(24)],
    ['resets 10:59 (UTC)', Date.parse('2026-11-21T10:59:00Z')],
    ['try again at 13:45 (Asia/Kolkata)', Date.parse('2026-11-21T08:15:00Z')],
    ['limit reached', undefined],
    ['resets at 3', undefined],
    ['resets at 3pm (Mars/Olympus)', undefined],
    ['resets at 12:99 (UTC)', undefined],
    ['limit reached|1000000000', undefined],
    ['try again in 999 days', undefined],
  ])('with the text %j ends at %s', (text, at) => {
    expect(resetTimeOf(text, now)).toBe(at)
  })

  it('ends at the right hour if the clocks change in between', () => {
    const evening = Date.parse('2026-03-28T21:00:00Z')
    expect(resetTimeOf('resets 9am (Europe/Berlin)', evening)).toBe(
      Date.parse('2026-03-29T07:00:00Z'),
    )
  })

  it('never ends more than a day in the past, for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom('resets ', 'again in ', 'reset at '), fc.nat(99), fc.string())
        .map(([start, count, end]) => `${start}${count}${end}`),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 4e12 }), (said, at) => {
        const reset = resetTimeOf(said, at)
        if (reset !== undefined) expect(reset).toBeGreaterThan(at - hours(24))
      }),
    )
  })
})

const failedBy = (reason: string, isLimit = false) =>
  explain({
    ...makeAgentEvent(),
    client: 'claude',
    ...{ kind: 'failed', message: reason },
    failure: { reason, cause: '', isLimit, resetsAt: undefined },
  })

it.each([
  ['max_output_tokens', /cut off/],
  ["API Error: Claude's response exceeded the 32000 output token maximum", /cut off/],
  ['prompt is too long: 210000 tokens > 200000 maximum', /too long for the model/],
  ['billing_error', /no credit/],
  ['Your credit balance is too low', /no credit/],
  ['authentication_failed', /not logged in/],
  ['401 Invalid API key · Please run /login', /not logged in/],
  ['model_not_found', /cannot use this model/],
  ['529 Overloaded', /busy/],
  ['server_error', /busy/],
  ['500 Internal server error', /busy/],
  ['connect ECONNREFUSED 127.0.0.1:1', /could not reach/],
  ['TypeError: fetch failed', /could not reach/],
  ['invalid_request', /did not accept/],
  ['unknown', /does not say which/],
  ['', /does not say which/],
  // The words of the client say it.
  ['Something broke', /^$/],
  ['Retried after 500 ms', /^$/],
])('the failure %j has a meaning, and what to do', (reason, means) => {
  const explained = failedBy(reason)
  expect(explained.means).toMatch(means)
  expect(explained.advice).toMatch(/^[A-Z].*\.$/)
})

it('a limit has advice; what did not fail, or no agent reports, has none', () => {
  expect(failedBy('rate_limit', true).advice).toMatch(/another model/)
  const event = { ...makeAgentEvent(), failure: undefined, message: 'overloaded' }
  for (const kind of ['done', 'failed', 'permission'] as const)
    expect(explain({ ...event, kind })).toEqual({ means: '', advice: '' })
  const failure = { reason: 'x', cause: '', isLimit: false, resetsAt: undefined }
  for (const client of ['script', 'hookbell'])
    expect(explain({ ...event, client, kind: 'failed', failure })).toEqual({
      means: '',
      advice: '',
    })
})
