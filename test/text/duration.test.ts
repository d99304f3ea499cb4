import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../../src/text/duration.ts'

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

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [752.99, '1 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [240_000, '4 min'],
    [3_570_000, '1 h'],
    [3_900_000, '1 h 5 min'],
    [86_400_000, '24 h'],
  ])('of %d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
