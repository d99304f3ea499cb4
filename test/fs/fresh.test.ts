import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FRESH_MS, Fresh } from '../../src/fs/fresh.ts'

it('keeps a value for a short time, separately for each key', async () => {
  let looks = 0
  const fresh = new Fresh((key) => {
    looks += 1
    return `${key}${looks}`
  })
  const first = fresh.get('a')
  const other = fresh.get('b')
  expect([first, other]).toEqual(['a1', 'b2'])
  await sleep(FRESH_MS + 5)
  expect([fresh.get('a'), fresh.get('b')]).toEqual(['a3', 'b4'])
})

it('calls the function once for many requests in a short time', () => {
  let looks = 0
  const fresh = new Fresh(() => {
    looks += 1
    return looks
  })
  const until = performance.now() + FRESH_MS / 2
  let asked = 0
  for (; performance.now() < until; asked += 1) fresh.get()
  expect(asked).toBeGreaterThan(5)
  // A pause of the machine between two requests causes one more call.
  expect(looks).toBeLessThanOrEqual(2)
})

it('calls the function again after forget()', () => {
  let value = 'before'
  const fresh = new Fresh(() => value)
  fresh.get()
  value = 'after'
  fresh.forget()
  expect(fresh.get()).toBe('after')
})

it('does not keep an error', () => {
  let isBroken = true
  const fresh = new Fresh(() => {
    if (isBroken) throw new Error('broken')
    return 'well'
  })
  expect(() => fresh.get()).toThrow('broken')
  isBroken = false
  expect(fresh.get()).toBe('well')
})
