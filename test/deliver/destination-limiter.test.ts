import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DestinationLimiter, type Slot } from '../../src/deliver/destination-limiter.ts'

function makeLimiter(concurrency = 2, minIntervalMs = 0) {
  const clock = { now: 0 }
  return {
    clock,
    limiter: new DestinationLimiter({ concurrency, minIntervalMs, now: () => clock.now }),
  }
}

describe('a destination limiter', () => {
  it('limits concurrent deliveries, and allows another one when one ends', () => {
    const { limiter } = makeLimiter(2)
    const first = limiter.acquire()
    limiter.acquire()
    expect(limiter.readyInMs).toBe(Number.POSITIVE_INFINITY)
    limiter.release(first)
    expect(limiter.readyInMs).toBe(0)
  })

  it('keeps the minimum interval between deliveries', () => {
    const { limiter, clock } = makeLimiter(4, 1000)
    limiter.release(limiter.acquire())
    clock.now = 300
    expect(limiter.readyInMs).toBe(700)
  })

  it('counts as slow if it pauses between messages or has failed', () => {
    expect(makeLimiter(4, 1000).limiter.isSlow).toBe(true)
    const { limiter } = makeLimiter(4)
    expect(limiter.isSlow).toBe(false)
    limiter.trip(limiter.acquire(), () => 1000)
    expect(limiter.isSlow).toBe(true)
  })

  it('blocks for a while after a failure, then allows a single probe, and all after a success', () => {
    const { limiter, clock } = makeLimiter(3)
    expect(limiter.trip(limiter.acquire(), () => 5000)).toBe(5000)
    expect([limiter.isTripped, limiter.readyInMs]).toEqual([true, 5000])
    clock.now = 5000
    expect(limiter.isTripped).toBe(false)
    const probe = limiter.acquire()
    expect(limiter.readyInMs).toBe(Number.POSITIVE_INFINITY)
    limiter.release(probe)
    limiter.acquire()
    expect(limiter.readyInMs).toBe(0)
  })

  it('counts failures of concurrent deliveries as one failure', () => {
    const { limiter, clock } = makeLimiter(3)
    const slots = [limiter.acquire(), limiter.acquire(), limiter.acquire()]
    const seen: number[] = []
    const delayAfter = (failures: number) => {
      seen.push(failures)
      return 1000 * 2 ** failures
    }
    clock.now = 10
    for (const slot of slots) limiter.trip(slot, delayAfter)
    clock.now = 2010
    limiter.trip(limiter.acquire(), delayAfter)
    clock.now = 6010
    limiter.release(limiter.acquire())
    limiter.trip(limiter.acquire(), delayAfter)
    expect(seen).toEqual([1, 1, 1, 2, 1])
  })

  it('counts a failure after the success of a concurrent delivery', () => {
    const { limiter } = makeLimiter(3)
    const slots = [limiter.acquire(), limiter.acquire(), limiter.acquire()]
    limiter.trip(slots[0] as Slot, () => 1000)
    limiter.release(slots[1] as Slot)
    limiter.trip(slots[2] as Slot, (failures) => failures * 2000)
    expect([limiter.isFailing, limiter.readyInMs]).toEqual([true, 2000])
  })

  it('stays blocked for the longer time when concurrent deliveries fail or are dropped', () => {
    const { limiter } = makeLimiter(3)
    const [first, second, third] = [limiter.acquire(), limiter.acquire(), limiter.acquire()]
    limiter.trip(first, () => 5000)
    expect(limiter.trip(second, () => 1000)).toBe(5000)
    limiter.cancel(third)
    expect(limiter.readyInMs).toBe(5000)
  })

  it('that is blocked for an earlier worker allows a single probe afterwards', () => {
    const { limiter, clock } = makeLimiter(3)
    limiter.block(5000)
    limiter.block(1000)
    expect([limiter.isTripped, limiter.readyInMs]).toEqual([true, 5000])
    clock.now = 5000
    const probe = limiter.acquire()
    expect(limiter.readyInMs).toBe(Number.POSITIVE_INFINITY)
    limiter.trip(probe, (failures) => failures * 1000)
    expect(limiter.readyInMs).toBe(2000)
  })

  it('is ready at once when earlier failures are forgotten', () => {
    const { limiter, clock } = makeLimiter()
    limiter.trip(limiter.acquire(), () => 5000)
    clock.now = 1000
    limiter.reset()
    expect([limiter.readyInMs, limiter.isFailing, limiter.failingMs]).toEqual([0, false, 0])
    for (const _ of [1, 2]) limiter.acquire()
    limiter.reset()
    expect(limiter.readyInMs).toBe(Number.POSITIVE_INFINITY)
  })

  it('counts failing time from the first failure after a success', () => {
    const { limiter, clock } = makeLimiter()
    limiter.trip(limiter.acquire(), () => 1000)
    clock.now = 1000
    limiter.release(limiter.acquire())
    clock.now = 90_000
    limiter.trip(limiter.acquire(), () => 1000)
    clock.now = 90_500
    expect(limiter.failingMs).toBe(500)
  })

  it('does not count idle time as failing time, for example while the machine sleeps', () => {
    const { limiter, clock } = makeLimiter()
    limiter.trip(limiter.acquire(), () => 1000)
    clock.now = 1000
    limiter.trip(limiter.acquire(), () => 1000)
    expect(limiter.failingMs).toBe(1000)
    clock.now = 100_000_000
    limiter.trip(limiter.acquire(), () => 1000)
    expect(limiter.failingMs).toBe(2000)
  })

  it('counts neither a success nor idle time twice when no attempt was made', () => {
    const { limiter, clock } = makeLimiter(3)
    limiter.trip(limiter.acquire(), () => 1000)
    clock.now = 5000
    limiter.cancel(limiter.acquire())
    expect([limiter.isFailing, limiter.readyInMs]).toEqual([true, 0])
    clock.now = 6000
    const probe = limiter.acquire()
    expect(limiter.readyInMs).toBe(Number.POSITIVE_INFINITY)
    limiter.trip(probe, (failures) => failures * 1000)
    expect([limiter.failingMs, limiter.readyInMs]).toEqual([1000, 2000])
  })

  it('never exceeds its concurrency, undercuts its interval or allows a delivery while tripped', () => {
    const action = fc.constantFrom('acquire', 'release', 'cancel', 'trip', 'reset', 'wait')
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 80 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(0, 100),
        (actions, concurrency, minIntervalMs) => {
          const { limiter, clock } = makeLimiter(concurrency, minIntervalMs)
          const slots: Slot[] = []
          let [lastStart, trippedUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
          for (const one of actions) {
            if (one === 'wait') clock.now += 70
            if (one === 'acquire' && limiter.readyInMs === 0) {
              expect(clock.now - lastStart).toBeGreaterThanOrEqual(minIntervalMs)
              expect(clock.now).toBeGreaterThanOrEqual(trippedUntil)
              lastStart = clock.now
              slots.push(limiter.acquire())
            }
            if (one === 'reset') {
              limiter.reset()
              trippedUntil = Number.NEGATIVE_INFINITY
            }
            const slot = ['release', 'cancel', 'trip'].includes(one) ? slots.shift() : undefined
            if (slot && one === 'release') limiter.release(slot)
            if (slot && one === 'cancel') limiter.cancel(slot)
            if (slot && one === 'trip') trippedUntil = clock.now + limiter.trip(slot, () => 150)
            expect(slots.length).toBeLessThanOrEqual(concurrency)
          }
        },
      ),
    )
  })
})
