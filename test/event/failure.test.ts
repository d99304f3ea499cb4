import { expect, it } from 'vitest'
import { failureOf } from '../../src/event/failure.ts'

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
