import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatTime, localTime } from '../../src/text/local-time.ts'
import { lastDue, nextDue } from '../../src/text/schedule.ts'

const timeZone = 'Europe/Berlin'
const DAY_MS = 86_400_000

describe('a time of day', () => {
  it.each([
    // A Friday.
    ['18:00', undefined, '2026-11-20T12:00:00Z', '2026-11-19 18:00', '2026-11-20 18:00'],
    ['18:00', undefined, '2026-11-20T17:00:00Z', '2026-11-20 18:00', '2026-11-21 18:00'],
    ['18:00', ['mon', 'fri'], '2026-11-20T18:00:00Z', '2026-11-20 18:00', '2026-11-23 18:00'],
    ['0:00', ['sun'], '2026-11-20T18:00:00Z', '2026-11-15 00:00', '2026-11-22 00:00'],
    ['24:00', undefined, '2026-11-20T18:00:00Z', '2026-11-20 00:00', '2026-11-21 00:00'],
    // The clock was set back one hour on October 25, and forward on March 29.
    ['18:00', undefined, '2026-10-25T12:00:00Z', '2026-10-24 18:00', '2026-10-25 18:00'],
    ['01:30', undefined, '2026-10-25T12:00:00Z', '2026-10-25 01:30', '2026-10-26 01:30'],
    ['18:00', undefined, '2026-03-29T12:00:00Z', '2026-03-28 18:00', '2026-03-29 18:00'],
    ['23:30', undefined, '2026-03-29T21:00:00Z', '2026-03-28 23:30', '2026-03-29 23:30'],
    ['00:00', undefined, '2026-03-28T12:00:00Z', '2026-03-28 00:00', '2026-03-29 00:00'],
    // The clock skipped this time.
    ['02:30', undefined, '2026-03-29T12:00:00Z', '2026-03-29 03:30', '2026-03-30 02:30'],
    // It is 00:30 on March 30. The day before had 23 hours, so 24 hours ago it was March 28.
    ['09:15', undefined, '2026-03-29T22:30:00Z', '2026-03-29 09:15', '2026-03-30 09:15'],
  ])(
    'of %s on %j, seen from %s, was last reached at %s and is next reached at %s',
    (at, days, now, last, next) => {
      const schedule = { at, days, timeZone }
      expect(formatTime(lastDue(schedule, Date.parse(now)), timeZone)).toBe(last)
      expect(formatTime(nextDue(schedule, Date.parse(now)), timeZone)).toBe(next)
    },
  )

  it('is reached on its own day if the clock skips midnight', () => {
    const schedule = { at: '00:00', days: ['sun'], timeZone: 'Asia/Beirut' }
    const saturday = Date.parse('2026-03-28T12:00:00Z')
    expect(formatTime(nextDue(schedule, saturday), 'Asia/Beirut')).toBe('2026-03-29 01:00')
  })

  it('is reached an hour later if the clock skips the last hour of the day', () => {
    const saturday = Date.parse('2026-03-28T12:00:00Z')
    const due = nextDue({ at: '23:30', timeZone: 'America/Nuuk' }, saturday)
    expect(formatTime(due, 'America/Nuuk')).toBe('2026-03-29 00:30')
  })

  it('occurs on each of its days, with nothing between two occurrences', () => {
    const schedules = fc.record({
      at: fc.constantFrom('00:00', '01:30', '09:15', '18:00', '23:59'),
      days: fc.constantFrom(
        undefined,
        ['mon'],
        ['sat', 'sun'],
        ['mon', 'tue', 'wed', 'thu', 'fri'],
      ),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
    })
    const year = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
    fc.assert(
      fc.property(schedules, year, (schedule, now) => {
        const [last, next] = [lastDue(schedule, now), nextDue(schedule, now)]
        expect(last <= now && now < next).toBe(true)
        expect(next - last).toBeLessThanOrEqual(schedule.days ? 8 * DAY_MS : 1.1 * DAY_MS)
        expect(lastDue(schedule, next)).toBe(next)
        expect(lastDue(schedule, next - 1)).toBe(last)
        const [hours = 0, minutes = 0] = schedule.at.split(':').map(Number)
        expect(localTime(next, schedule.timeZone).minutes).toBe(hours * 60 + minutes)
      }),
    )
  })
})
