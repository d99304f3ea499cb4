import { describe, expect, it } from 'vitest'
import { quietHours, quietUntil } from '../../../src/policy/rules/quiet-hours.ts'
import { isWithin, type Period } from '../../../src/text/local-time.ts'
import { enrichedOfLine, eventOfLine, loadSequences } from '../../support/sequence.ts'
import { runTimeline } from '../../support/timeline.ts'

const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin', except: [] }
const utc = (text: string) => Date.parse(`${text}Z`)

describe('quiet hours', () => {
  it.each<[string, Period, string, boolean]>([
    ['not before they begin', night, '2026-11-20T20:59:59', false],
    ['from the first minute on', night, '2026-11-20T21:00', true],
    ['at midnight', night, '2026-11-20T23:00', true],
    ['until the last minute', night, '2026-11-21T05:59:59', true],
    ['not from the minute in which they end', night, '2026-11-21T06:00', false],
    ['on a selected day', { ...night, days: ['fri'] }, '2026-11-20T22:00', true],
    ['in the morning after that day', { ...night, days: ['fri'] }, '2026-11-21T05:00', true],
    ['not in the morning of that day', { ...night, days: ['fri'] }, '2026-11-20T05:00', false],
    ['not in the evening before that day', { ...night, days: ['fri'] }, '2026-11-19T22:00', false],
    ['all day from a time to itself', { ...night, to: '22:00' }, '2026-11-20T20:00', true],
    [
      'at noon of one day',
      { from: '00:00', to: '24:00', days: ['sat'], timeZone: 'UTC' },
      '2026-11-21T12:00',
      true,
    ],
    [
      'not on the day after',
      { from: '00:00', to: '24:00', days: ['sat'], timeZone: 'UTC' },
      '2026-11-22T00:00',
      false,
    ],
    [
      'in another zone',
      { from: '09:00', to: '10:00', timeZone: 'Asia/Kolkata' },
      '2026-11-20T03:30',
      true,
    ],
    ['not before a period of the day', { from: '09:00', to: '10:00' }, '2026-11-20T08:59', false],
  ])('apply %s', (_, period, at, expected) => {
    expect(isWithin(period, utc(at))).toBe(expected)
  })

  it.each([
    ['an ordinary night', night, '2026-11-20T22:00', '2026-11-21T06:00'],
    ['the night that is one hour longer', night, '2026-10-24T22:00', '2026-10-25T06:00'],
    ['the night that is one hour shorter', night, '2026-03-28T22:00', '2026-03-29T05:00'],
    [
      'an end time that the clock skips',
      { ...night, to: '02:30' },
      '2026-03-28T22:00',
      '2026-03-29T01:00',
    ],
    [
      'an end time that the clock shows twice',
      { ...night, to: '02:30' },
      '2026-10-24T22:00',
      '2026-10-25T00:30',
    ],
  ])('end in time after %s', (_, period, from, until) => {
    expect(new Date(quietUntil([period], utc(from))).toISOString()).toBe(`${until}:00.000Z`)
  })

  it('end with the later period if one period follows another', () => {
    const rest = { from: '07:00', to: '09:00', timeZone: 'Europe/Berlin', except: [] }
    expect(quietUntil([night, rest], utc('2026-11-20T22:00'))).toBe(utc('2026-11-21T08:00'))
  })

  it('without an end are checked again after eight days', () => {
    const always = { from: '00:00', to: '24:00', except: [] }
    const now = utc('2026-11-20T22:00')
    expect(quietUntil([always], now)).toBe(now + 8 * 86_400_000)
  })
})

describe('an event in quiet hours', () => {
  const [afternoon] = loadSequences().filter(({ name }) => name === 'afternoon-of-three-sessions')
  const lines = afternoon?.lines ?? []
  const start = utc('2026-11-20T21:30')
  const events = lines.map((line, index) => enrichedOfLine(line, start, `event-${index}`))
  const run = (more: object = {}) =>
    runTimeline(events, { config: { noise: { quietHours: [{ ...night, ...more }] } } })

  it('is delivered in one message at their end, but at once if it is a question', () => {
    const { pings } = run()
    const questions = pings.filter(({ kind }) => kind === 'permission')
    expect(questions).toHaveLength(lines.filter(({ told }) => told === 'question').length)
    const rest = pings.filter((ping) => !questions.includes(ping))
    expect(rest.map(({ at }) => at)).toEqual([utc('2026-11-21T06:00')])
  })

  it('is left out of that message if a person has continued the session since then', () => {
    const { dropped } = run()
    expect(dropped.length).toBeGreaterThan(0)
    expect(new Set(dropped.map(({ reason }) => reason))).toEqual(
      new Set(['a person went on with the session before it was told']),
    )
  })

  it('is delivered at once if its kind is excepted', () => {
    const { pings } = run({ except: ['failed'] })
    const failures = pings.filter(({ kind }) => kind === 'failed')
    expect(failures.map(({ at }) => at)).toEqual([start + 6_600_000])
  })

  it.each([
    ['before them', '2026-11-20T20:59', 'send'],
    ['in them', '2026-11-20T21:30', 'hold'],
    ['after them', '2026-11-21T06:00', 'send'],
  ])(
    'that waited for the worker is held by the time of its delivery, not by its own: %s',
    (_, now, type) => {
      const settings = { noise: { quietHours: [night] }, dueAt: utc(now) }
      const event = { kind: 'done', at: utc('2026-11-20T20:58') }
      const verdict = quietHours.judge(event as never, {} as never, null, settings as never)
      expect(verdict.type).toBe(type)
      // The zone is named, because other times beside it are those of this machine.
      const zone = { reason: expect.stringMatching(/ 07:00 in Europe\/Berlin$/) }
      expect(verdict).toMatchObject(type === 'hold' ? zone : {})
    },
  )

  it('is judged by the local time of the machine if no time zone is set', () => {
    const event = eventOfLine(lines[0] as (typeof lines)[0], start)
    const hour = new Date(event.at).getHours()
    const now = { from: `${hour}:00`, to: `${(hour + 1) % 24}:00` }
    expect(isWithin(now, event.at)).toBe(true)
  })
})
