import { expect, it } from 'vitest'
import { RetryTimes } from '../../../src/worker/dispatch/in-flight.ts'

function makeResting() {
  const clock = { now: 0 }
  return { clock, resting: new RetryTimes(() => clock.now) }
}

it('pauses grow with each failure, up to a minute', () => {
  const { clock, resting } = makeResting()
  const pauses = [1, 2, 3, 20].map((times) => {
    resting.add('event', times)
    return resting.nextInMs
  })
  expect(pauses).toEqual([1000, 2000, 4000, 60_000])
  clock.now = 59_999
  expect([resting.has('event'), resting.nextInMs]).toEqual([true, 1])
})

it('the next event is due when the shortest pause ends, in whatever order they began', () => {
  const { resting } = makeResting()
  resting.add('short', 1)
  resting.add('long', 3)
  expect(resting.nextInMs).toBe(1000)
})

it('a pause that is over delays nothing, but the failures before it still count', () => {
  const { clock, resting } = makeResting()
  resting.add('event', 3)
  clock.now = 4000
  resting.forgetOld()
  expect([resting.has('event'), resting.nextInMs, resting.timesOf('event')]).toEqual([
    false,
    undefined,
    3,
  ])
  resting.delete('event')
  expect(resting.timesOf('event')).toBe(0)
})

it('an event that was not tried again for minutes is forgotten', () => {
  const { clock, resting } = makeResting()
  resting.add('gone', 3)
  clock.now = 600_000
  resting.add('event', 1)
  clock.now = 700_000
  resting.forgetOld()
  expect([resting.timesOf('gone'), resting.timesOf('event')]).toEqual([0, 1])
})
