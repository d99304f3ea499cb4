import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtInConfig, parseConfig } from '../../src/config/load/load.ts'
import {
  failedOutcome,
  findDestination,
  retryDelay,
  send,
  sentOutcome,
  whyGiveUp,
  withDeadline,
} from '../../src/deliver/attempt.ts'
import type { Delivery } from '../../src/delivery.ts'
import { DeliveryError, type SendContext } from '../../src/notifiers/define.ts'
import { file } from '../../src/notifiers/file.ts'
import { makeDelivery } from '../support/delivery.ts'

const HOUR_MS = 3600_000
const NOW = 100 * 24 * HOUR_MS

const loaded = parseConfig(
  JSON.stringify({ retry: { maxAttempts: 7, maxAgeHours: 2, firstDelaySeconds: 3 } }),
  { path: 'config.json', secrets: { file: new Map(), env: {} } },
)

function fail(changes: Partial<Delivery>, error: unknown, trippedMs = 0, random = 1) {
  const deps = { now: () => NOW, random: () => random }
  return failedOutcome(makeDelivery('e1', changes), error, loaded, deps, trippedMs)
}

const busy = new DeliveryError('retry', 'busy')

describe('a failed attempt', () => {
  it('is repeated after the longest of its own delay and that of its destination', () => {
    expect(fail({}, busy)).toMatchObject({ type: 'deferred', attempt: 1, until: NOW + 3000 })
    expect(fail({}, busy, 5000)).toMatchObject({ until: NOW + 5000 })
    expect(fail({ attempts: 1 }, busy, 5000)).toMatchObject({ until: NOW + 6000 })
    expect(fail({}, busy, 0, 0.1111111)).toMatchObject({ until: NOW + 1667 })
  })

  it('is repeated after the time that the receiver asks for', () => {
    const later = new DeliveryError('retry', 'busy', { retryAfterMs: 60_000 })
    expect(fail({}, later)).toMatchObject({ until: NOW + 60_000 })
  })

  it('is the last one after the maximum number, or at the maximum age since the first one', () => {
    const why = (changes: Partial<Delivery>) => {
      const outcome = fail(changes, busy)
      return 'reason' in outcome ? `${outcome.type}: ${outcome.reason}` : ''
    }
    expect(why({ attempts: 5 })).toBe('deferred: busy')
    expect(why({ attempts: 6 })).toBe('exhausted: gave up after 7 attempts: busy')
    const tried = { attempts: 5, firstTriedAt: NOW - 2 * HOUR_MS }
    expect(why(tried)).toBe('exhausted: gave up after 2 hours: busy')
    expect(why({ ...tried, firstTriedAt: tried.firstTriedAt + 1 })).toBe('deferred: busy')
  })

  it('says what a person can do', () => {
    const error = new DeliveryError('give-up', 'no such topic', { hint: 'Create it' })
    expect(fail({}, error)).toMatchObject({
      type: 'exhausted',
      reason: 'no such topic (Create it)',
    })
  })
})

describe('a message that some recipients lack', () => {
  const sent = { answer: 'ok (refused: b@x.test: 450 later)', remaining: ['b@x.test'] }
  const tell = (changes: Partial<Delivery>) =>
    sentOutcome(makeDelivery('e1', changes), sent, 5, loaded, { now: () => NOW, random: () => 1 })

  it('is tried again for them', () => {
    expect(tell({})).toMatchObject({
      ...{ type: 'deferred', attempt: 1, reason: sent.answer, until: NOW + 3000 },
      delivery: { attempts: 1, firstTriedAt: NOW, remaining: ['b@x.test'] },
    })
  })

  it('counts as delivered, with the reason, when they are given up', () => {
    const { answer } = sent
    expect(tell({ attempts: 6 })).toEqual({ type: 'delivered', attempt: 7, ms: 5, answer })
  })
})

describe('an attempt', () => {
  it.each([
    ['00:00', {}, 'permission', true],
    ['00:00', { except: ['permission'] }, 'permission', undefined],
    ['00:00', { except: ['permission'] }, 'done', true],
    ['12:00', {}, 'permission', undefined],
  ] as const)(
    'tells the notifier whether it is a quiet hour: from %s, %j, %s',
    async (from, more, kind, quiet) => {
      const contexts: SendContext[] = []
      const notifier = {
        ...file,
        send: async (_: unknown, __: unknown, context: SendContext) => {
          contexts.push(context)
          return 'ok'
        },
      }
      const noise = { quietHours: [{ from, to: '13:00', timeZone: 'UTC', ...more }] }
      const night = parseConfig(JSON.stringify({ noise }), {
        ...{ path: 'config.json', secrets: { file: new Map(), env: {} } },
      })
      const delivery = makeDelivery('e1')
      const asked = { ...delivery, message: { ...delivery.message, kind } }
      await send({ key: 'file', notifier, options: {} }, asked, night, { now: () => NOW })
      expect(contexts.map(({ isQuiet }) => isQuiet)).toEqual([quiet])
    },
  )

  it('passes its number to the notifier', async () => {
    const numbers: number[] = []
    const notifier = {
      ...file,
      send: async (_: unknown, __: unknown, { attempt }: SendContext) => {
        numbers.push(attempt)
        return 'ok'
      },
    }
    const destination = { key: 'file', notifier, options: {} }
    for (const attempts of [0, 4])
      await send(destination, makeDelivery('e1', { attempts }), loaded, { now: () => NOW })
    expect(numbers).toEqual([1, 5])
  })

  it('leaves no timer that keeps the process running', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    await withDeadline(60_000, async () => {})
    await expect(withDeadline(60_000, () => Promise.reject(busy))).rejects.toThrow('busy')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a channel', () => {
  it.each(['constructor', 'gone'])('named %s does not exist if it is not configured', (name) => {
    expect(findDestination(name, loaded)).toMatchObject({
      error: { verdict: 'give-up', message: `no channel "${name}"` },
    })
  })

  it('that is built in exists even if others are configured', () => {
    const config = { ...builtInConfig().config, channels: {} }
    expect(findDestination('desktop', { ...loaded, config })).toMatchObject({ key: 'desktop' })
  })
})

describe('retries', () => {
  const policy = { firstDelaySeconds: 2, maxDelaySeconds: 900, maxAgeHours: 24, maxAttempts: 120 }

  it('wait twice as long after each failure, up to a cap, with jitter in the upper half', () => {
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

  it('are spread over the upper half of their delay', () => {
    expect([0, 0.5, 1].map((random) => retryDelay(1, policy, random))).toEqual([1000, 1500, 2000])
  })

  it.each([
    [5000, 5000],
    [0, 1000],
    [1e12, 24 * 3600_000],
  ])('wait as long as the receiver asks for (%d ms), within limits', (wish, delay) => {
    expect(retryDelay(1, policy, 0.5, wish)).toBe(delay)
  })

  it('continue for at least five attempts, because the machine may have been off', () => {
    expect(whyGiveUp(4, 240 * 3600_000, policy)).toBeUndefined()
  })

  it('end after the maximum number of attempts or hours', () => {
    expect(whyGiveUp(119, 0, policy)).toBeUndefined()
    expect(whyGiveUp(120, 0, policy)).toBe('gave up after 120 attempts')
    expect(whyGiveUp(1, 0, { ...policy, maxAttempts: 1 })).toBe('gave up after 1 attempt')
    expect(whyGiveUp(5, 24 * 3600_000, policy)).toBe('gave up after 24 hours')
    expect(whyGiveUp(1, -1, policy)).toBeUndefined()
  })
})
