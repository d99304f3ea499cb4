import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { afterTurns, waitAtMost } from '../src/patience.ts'

const never = new Promise(() => {})

it('a limited wait ends when the work succeeds or fails, and otherwise after its time', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  expect(await waitAtMost(1000, Promise.resolve())).toBe(true)
  expect(await waitAtMost(1000, Promise.reject(new Error('no')))).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  const hasEnded = waitAtMost(1000, never)
  await vi.advanceTimersByTimeAsync(999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await hasEnded).toBe(false)
})

it('a time limit can be cancelled', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const done = vi.fn()
  afterTurns(1000, done)()
  vi.advanceTimersByTime(2000)
  expect(done).not.toHaveBeenCalled()
})

it('a limited wait is longer in a process that gets no processor time', async () => {
  /** Work of many steps, before each of which the process is held up for longer than the limit. */
  const work = async () => {
    for (let step = 0; step < 20; step += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      await nextTurn()
    }
  }
  expect(await waitAtMost(5, work())).toBe(true)
})
