import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FRESH_MS, Fresh } from '../../src/fs/fresh.ts'

// The clock is stopped, because a busy machine can pause for longer than a value is kept.
beforeEach(() => void vi.useFakeTimers({ toFake: ['hrtime'] }))
afterEach(() => void vi.useRealTimers())

it('a value is kept for a short time, separately for each key', () => {
  let looks = 0
  const fresh = new Fresh((key) => {
    looks += 1
    return `${key}${looks}`
  })
  const both = () => [fresh.get('a'), fresh.get('b')]
  expect(both()).toEqual(['a1', 'b2'])
  vi.advanceTimersByTime(FRESH_MS - 1)
  expect(both()).toEqual(['a1', 'b2'])
  vi.advanceTimersByTime(1)
  expect(both()).toEqual(['a3', 'b4'])
})

it('a value is computed again after forget()', () => {
  let value = 'before'
  const fresh = new Fresh(() => value)
  fresh.get()
  value = 'after'
  fresh.forget()
  expect(fresh.get()).toBe('after')
})

it('an error is not kept', () => {
  let isBroken = true
  const fresh = new Fresh(() => {
    if (isBroken) throw new Error('broken')
    return 'well'
  })
  expect(() => fresh.get()).toThrow('broken')
  isBroken = false
  expect(fresh.get()).toBe('well')
})
