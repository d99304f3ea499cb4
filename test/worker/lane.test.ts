import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { retryDelay, whyGiveUp } from '../../src/worker/backoff.ts'
import { Lane, type Turn } from '../../src/worker/lane.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const makeLane = (concurrency = 2, minIntervalMs = 0) =>
  new Lane({ concurrency, minIntervalMs, now: Date.now })

async function turnOf(lane: Lane): Promise<Turn> {
  const entry = await lane.enter()
  if ('afterMs' in entry) throw new Error(`turned away: ${entry.reason}`)
  return entry
}

describe('a lane', () => {
  it('lets so many at once, and the next when one leaves', async () => {
    const lane = makeLane(2)
    const first = await turnOf(lane)
    await turnOf(lane)
    const third = turnOf(lane)
    let isIn = false
    void third.then(() => {
      isIn = true
    })
    await vi.advanceTimersByTimeAsync(1000)
    expect(isIn).toBe(false)
    lane.leave(first)
    await third
  })

  it('keeps its distance', async () => {
    const lane = makeLane(4, 1000)
    const startedAt = Date.now()
    lane.leave(await turnOf(lane))
    const second = turnOf(lane)
    await vi.advanceTimersByTimeAsync(1000)
    expect((await second).startedAt - startedAt).toBe(1000)
  })

  it('turns away whoever could not have a turn in time, each to a time of its own', async () => {
    const lane = makeLane(4, 1000)
    const entries = Array.from({ length: 6 }, () => lane.enter())
    await vi.advanceTimersByTimeAsync(3000)
    const away = (await Promise.all(entries)).filter((entry) => 'afterMs' in entry)
    expect(away.map(({ isQueued }) => isQueued)).toEqual([true, true, true, true])
    const times = away.map(({ afterMs }) => afterMs)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(1000)
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBe(1000)
  })

  it('that is stuck keeps nobody, and asks them to come back less and less often', async () => {
    const lane = makeLane(1)
    await turnOf(lane)
    const waited = lane.enter()
    await vi.advanceTimersByTimeAsync(2001)
    const first = await waited
    await vi.advanceTimersByTimeAsync(20_000)
    const later = await lane.enter()
    if (!('afterMs' in first && 'afterMs' in later)) throw new Error('not turned away')
    expect(later.afterMs).toBeGreaterThan(first.afterMs * 5)
  })

  it('that failed is closed for all, and says why', async () => {
    const lane = makeLane(1)
    const turn = await turnOf(lane)
    const waiting = lane.enter()
    expect(lane.close(turn, () => 5000, 'no route to host')).toBe(5000)
    expect(await waiting).toMatchObject({ reason: 'no route to host', isQueued: false })
    expect(await lane.enter()).toMatchObject({ reason: 'no route to host' })
    expect(lane.isOpen).toBe(false)
    await vi.advanceTimersByTimeAsync(5000)
    expect(lane.isOpen).toBe(true)
    await turnOf(lane)
  })

  it('counts failures that were under way together as one', async () => {
    const lane = makeLane(3)
    const turns = [await turnOf(lane), await turnOf(lane), await turnOf(lane)]
    const seen: number[] = []
    const delayAfter = (failures: number) => {
      seen.push(failures)
      return 1000 * 2 ** failures
    }
    await vi.advanceTimersByTimeAsync(10)
    for (const turn of turns) lane.close(turn, delayAfter, 'x')
    await vi.advanceTimersByTimeAsync(2000)
    lane.close(await turnOf(lane), delayAfter, 'x')
    await vi.advanceTimersByTimeAsync(4000)
    lane.leave(await turnOf(lane))
    lane.close(await turnOf(lane), delayAfter, 'x')
    expect(seen).toEqual([1, 1, 1, 2, 1])
  })

  it('never lets more in than it may, nor closer together, nor forgets one', async () => {
    const action = fc.constantFrom('enter', 'leave', 'close', 'wait')
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(0, 100),
        async (actions, concurrency, minIntervalMs) => {
          const lane = makeLane(concurrency, minIntervalMs)
          const [turns, starts]: [Turn[], number[]] = [[], []]
          let [entered, answered] = [0, 0]
          for (const one of [...actions, ...Array<'wait'>(5).fill('wait')]) {
            if (one === 'enter') {
              entered += 1
              void lane.enter().then((entry) => {
                answered += 1
                if ('afterMs' in entry) return
                turns.push(entry)
                starts.push(entry.startedAt)
              })
            }
            if (one === 'wait') await vi.advanceTimersByTimeAsync(700)
            const turn = one === 'leave' || one === 'close' ? turns.shift() : undefined
            if (turn && one === 'leave') lane.leave(turn)
            if (turn && one === 'close') lane.close(turn, () => 50, 'x')
            await vi.advanceTimersByTimeAsync(0)
            expect(turns.length).toBeLessThanOrEqual(concurrency)
          }
          expect(answered).toBe(entered)
          const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
          expect(gaps.every((gap) => gap >= minIntervalMs)).toBe(true)
        },
      ),
    )
  })
})

describe('the wait after a failure', () => {
  const policy = { firstDelaySeconds: 2, maxDelaySeconds: 900, maxAgeHours: 24, maxAttempts: 120 }

  it('doubles, is capped, and lies in the upper half', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const most = Math.min(2 * 2 ** Math.min(attempt - 1, 30), 900) * 1000
          const delay = retryDelay(attempt, policy, random)
          expect(delay).toBeGreaterThanOrEqual(most / 2)
          expect(delay).toBeLessThanOrEqual(most)
          expect(retryDelay(attempt + 1, policy, random)).toBeGreaterThanOrEqual(delay)
        },
      ),
    )
  })

  it.each([
    [5000, 5000],
    [0, 1000],
    [1e12, 24 * 3600_000],
  ])('is what the receiver asks for, within reason: %d', (wish, delay) => {
    expect(retryDelay(1, policy, 0.5, wish)).toBe(delay)
  })

  it('ends after so many attempts or hours', () => {
    expect(whyGiveUp(119, 0, policy)).toBeUndefined()
    expect(whyGiveUp(120, 0, policy)).toBe('gave up after 120 attempts')
    expect(whyGiveUp(1, 24 * 3600_000, policy)).toBe('gave up after 24 hours')
    expect(whyGiveUp(1, -1, policy)).toBeUndefined()
  })
})
