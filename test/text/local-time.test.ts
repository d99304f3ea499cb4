import { afterEach, describe, expect, it } from 'vitest'
import { formatDate, formatTime } from '../../src/text/local-time.ts'

const zone = process.env.TZ
afterEach(() => {
  process.env.TZ = zone
})

describe('times as this machine shows them', () => {
  it('have the local date, not that of UTC', () => {
    const at = Date.parse('2026-11-21T04:30:00Z')
    process.env.TZ = 'America/Los_Angeles'
    expect(formatTime(at)).toBe('2026-11-20 20:30')
    expect(formatDate(at)).toBe('2026-11-20')
    expect(formatTime(Date.parse('2026-01-02T16:05:00Z'))).toBe('2026-01-02 08:05')
  })
})
