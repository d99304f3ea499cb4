import { describe, expect, it } from 'vitest'
import { wakeUpOf } from '../../src/event/wake-up.ts'

const now = new Date('2026-11-20T23:40:30').getTime()
const once = (schedule: string) => ({ id: 'c1', schedule, recurring: false, prompt: 'Look' })

describe('a scheduled turn', () => {
  it.each([
    ['50 23 * * *', '2026-11-20T23:50:00'],
    ['5 0 * * *', '2026-11-21T00:05:00'],
    ['10 0 21 11 *', '2026-11-21T00:10:00'],
    ['40 23 * * *', '2026-11-20T23:40:00'],
  ])('is due at the minute of its schedule: %s', (schedule, due) => {
    expect(wakeUpOf([once(schedule)], now)).toBe(new Date(due).getTime())
  })

  it('is due at the first of several schedules', () => {
    const crons = [once('5 0 * * *'), once('50 23 * * *'), once('0 9 * * *')]
    expect(wakeUpOf(crons, now)).toBe(new Date('2026-11-20T23:50:00').getTime())
  })

  it.each([
    ['no schedule', []],
    ['a schedule that is due only later', [once('50 1 * * *'), once('38 23 * * *')]],
    ['a schedule that repeats', [{ ...once('50 23 * * *'), recurring: true }]],
    ['a schedule without a fixed time', [once('*/5 * * * *'), once('50 * * * *'), once('')]],
    ['a damaged schedule', [null, 'x', {}, { recurring: false, schedule: 5 }]],
  ])('is not expected with %s', (_, crons) => {
    expect(wakeUpOf(crons, now)).toBeUndefined()
  })
})
