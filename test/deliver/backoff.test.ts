import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryDelay, whyGiveUp } from '../../src/deliver/backoff.ts'

describe('retries', () => {
  const policy = { firstDelaySeconds: 2, maxDelaySeconds: 900, maxAgeHours: 24, maxAttempts: 120 }

  it('wait twice as long after each failure, up to a cap, with jitter in the upper half', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const most = Math.min(2 * 2 ** Math.min(attempt - 1, 30), 900) * 1000
          const delay = retryDelay(attempt, policy, random)
          expect(delay).toBeGreaterThanOrEqual(most / 2)
          expect(delay).toBeLessThanOrEqual(most)
          expect(retryDelay(attempt + 1, policy, random)).toBeGreaterThanOrEqual(delay)
        },
      ),
    )
  })

  it('are spread over the upper half of their delay', () => {
    expect([0, 0.5, 1].map((random) => retryDelay(1, policy, random))).toEqual([1000, 1500, 2000])
  })

  it.each([
    [5000, 5000],
    [0, 1000],
    [1e12, 24 * 3600_000],
  ])('wait as long as the receiver asks for (%d ms), within limits', (wish, delay) => {
    expect(retryDelay(1, policy, 0.5, wish)).toBe(delay)
  })

  it('continue for at least five attempts, because the machine may have been off', () => {
    expect(whyGiveUp(4, 240 * 3600_000, policy)).toBeUndefined()
  })

  it('end after the maximum number of attempts or hours', () => {
    expect(whyGiveUp(119, 0, policy)).toBeUndefined()
    expect(whyGiveUp(120, 0, policy)).toBe('gave up after 120 attempts')
    expect(whyGiveUp(1, 0, { ...policy, maxAttempts: 1 })).toBe('gave up after 1 attempt')
    expect(whyGiveUp(5, 24 * 3600_000, policy)).toBe('gave up after 24 hours')
    expect(whyGiveUp(1, -1, policy)).toBeUndefined()
  })
})
