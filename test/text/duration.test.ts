import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../src/text/duration.ts'

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '2', 'm', '0m', '-1m', '2 m', '2m!', '10000m', '1w'])(
    'cannot be parsed from %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )
})
