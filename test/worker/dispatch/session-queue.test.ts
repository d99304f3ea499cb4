import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SessionQueue } from '../../../src/worker/dispatch/session-queue.ts'

const MANY = 20

/** Work that takes some time and is recorded when it begins. */
function makeWork() {
  const begun: string[] = []
  const sessions = new SessionQueue()
  const run = (session: string, name: string, ms: number) =>
    sessions.runInOrder(session, async () => {
      begun.push(name)
      await new Promise((resolve) => setTimeout(resolve, ms))
    })
  return { begun, run, sessions }
}

describe('the work of a session', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('keeps its order however long the whole queue takes', async () => {
    const { begun, run } = makeWork()
    const names = Array.from({ length: MANY }, (_, index) => `${index}`)
    const all = Promise.all(names.map((name) => run('s', name, 1000)))
    await vi.advanceTimersByTimeAsync((MANY - 1) * 1000 - 1)
    expect(begun).toEqual(names.slice(0, -1))
    await vi.advanceTimersByTimeAsync(1001)
    await all
    expect(begun).toEqual(names)
  })

  it('keeps its order when more is added while earlier work runs', async () => {
    const { begun, run } = makeWork()
    for (const name of ['first', 'second']) void run('s', name, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    void run('s', 'third', 0)
    await vi.advanceTimersByTimeAsync(999)
    expect(begun).toEqual(['first', 'second'])
    await vi.advanceTimersByTimeAsync(1)
    expect(begun).toEqual(['first', 'second', 'third'])
  })

  it('goes on at once after work that failed', async () => {
    const { begun, run, sessions } = makeWork()
    const failing = sessions.runInOrder('s', () => Promise.reject(new Error('no')))
    const next = run('s', 'next', 0)
    await expect(failing).rejects.toThrow('no')
    await vi.advanceTimersByTimeAsync(1)
    await next
    expect(begun).toEqual(['next'])
  })

  it('goes on after a while when earlier work hangs, and does not wait for other sessions', async () => {
    const { begun, run } = makeWork()
    for (const name of ['hangs', 'second', 'third']) void run('s', name, name === 'hangs' ? 1e9 : 0)
    void run('other', 'other', 0)
    await vi.advanceTimersByTimeAsync(4999)
    expect(begun).toEqual(['hangs', 'other'])
    await vi.advanceTimersByTimeAsync(2)
    expect(begun).toEqual(['hangs', 'other', 'second', 'third'])
  })
})
