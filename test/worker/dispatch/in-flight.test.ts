import { expect, it } from 'vitest'
import { RetryTimes } from '../../../src/worker/dispatch/in-flight.ts'

function makeResting() {
  const clock = { now: 0 }
  return { clock, retryTimes: new RetryTimes(() => clock.now) }
}

it('pauses grow with each failure, up to a minute', () => {
  const { clock, retryTimes } = makeResting()
  const pauses = [1, 2, 3, 20].map((times) => {
    retryTimes.add('event', times)
    return retryTimes.nextInMs
  })
  expect(pauses).toEqual([1000, 2000, 4000, 60_000])
  clock.now = 59_999
  expect([retryTimes.has('event'), retryTimes.nextInMs]).toEqual([true, 1])
})

it('the next event is due when the shortest pause ends, in whatever order they began', () => {
  const { retryTimes } = makeResting()
  retryTimes.add('short', 1)
  retryTimes.add('long', 3)
  expect(retryTimes.nextInMs).toBe(1000)
})

it('a pause that is over delays nothing, but the failures before it still count', () => {
  const { clock, retryTimes } = makeResting()
  retryTimes.add('event', 3)
  clock.now = 4000
  retryTimes.forgetOld()
  expect([retryTimes.has('event'), retryTimes.nextInMs, retryTimes.timesOf('event')]).toEqual([
    false,
    undefined,
    3,
  ])
  retryTimes.delete('event')
  expect(retryTimes.timesOf('event')).toBe(0)
})

it('an event that was not tried again for minutes is forgotten', () => {
  const { clock, retryTimes } = makeResting()
  retryTimes.add('gone', 3)
  clock.now = 600_000
  retryTimes.add('event', 1)
  clock.now = 700_000
  retryTimes.forgetOld()
  expect([retryTimes.timesOf('gone'), retryTimes.timesOf('event')]).toEqual([0, 1])
})
