import { describe, expect, it } from 'vitest'
import { makeSteadyClock } from '../src/monotonic.ts'

describe('the steady clock', () => {
  it('counts the time in which the machine was asleep', () => {
    let [monotonic, wall] = [0, 1000]
    const clock = makeSteadyClock(
      () => monotonic,
      () => wall,
    )
    monotonic += 10
    wall += 10
    expect(clock()).toBe(10)
    // While the machine is suspended for an hour, the monotonic clock stops.
    monotonic += 5
    wall += 3600_000
    expect(clock()).toBe(3600_010)
  })

  it('keeps advancing when the wall clock is set back', () => {
    let [monotonic, wall] = [0, 1_000_000]
    const clock = makeSteadyClock(
      () => monotonic,
      () => wall,
    )
    monotonic += 20
    wall -= 900_000
    expect(clock()).toBe(20)
  })
})
