import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  DestinationLimiter,
  DestinationQueue,
  type Slot,
  type Waiting,
} from '../../src/deliver/destination-queue.ts'
import { makeDelivery } from '../support/delivery.ts'
import { runs } from '../support/runs.ts'

type Entry = Omit<Waiting, 'queuedAt'>

interface UnderWay {
  entries: readonly Entry[]
  slot: Slot
  done(): void
}

interface Options {
  concurrency: number
  minIntervalMs: number
  keepsOrder: boolean
  summarizes: boolean
}

const SESSIONS = [...'abcdefgh']
const BLOCKED_MS = 3000

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      add: fc.constantFrom(...SESSIONS),
      isPermission: fc.constantFrom(true, false, false, false),
      isLate: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ end: fc.nat(3), isFailed: fc.constantFrom(true, false, false, false) }),
  },
  { weight: 2, arbitrary: fc.record({ ms: fc.constantFrom(1, 500, 2000, 7000) }) },
  { weight: 1, arbitrary: fc.record({ isPaused: fc.boolean() }) },
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** A queue with a fake clock, and a receiver that checks what begins. */
function makeQueue({ concurrency, minIntervalMs, keepsOrder, summarizes }: Options) {
  const now = Date.now
  const limiter = new DestinationLimiter({ concurrency, minIntervalMs, now })
  const waiting = new Map<string, Entry>()
  const inFlight: UnderWay[] = []
  const begun: Entry[] = []
  const delivered: string[] = []
  const failed: { at: number; entry: Entry }[] = []
  let isPaused = false

  /** The sessions of these entries, except for permission questions, which do not wait for their session. */
  const sessionsOf = (entries: readonly Entry[]) =>
    new Set(entries.filter((one) => !one.isPermission).map(({ session }) => session))

  function check(entries: readonly Entry[]) {
    const [first] = entries
    expect(first).toBeDefined()
    expect(isPaused).toBe(false)
    for (const { id } of entries) expect(waiting.delete(id)).toBe(true)
    if (!first?.isPermission)
      expect([...waiting.values()].filter((one) => one.isPermission)).toEqual([])
    if (entries.length > 1) {
      expect(summarizes && entries.length >= 6 && waiting.size === 0).toBe(true)
      expect(inFlight.flatMap((one) => [...sessionsOf(one.entries)])).toEqual([])
    }
  }

  const send = (entries: readonly Waiting[], slot: Slot) =>
    new Promise<void>((done) => {
      check(entries)
      begun.push(...entries)
      inFlight.push({ entries, slot, done })
      expect(inFlight.length).toBeLessThanOrEqual(concurrency)
      const busy = inFlight.flatMap((one) => [...sessionsOf(one.entries)])
      if (!keepsOrder) expect(new Set(busy).size).toBe(busy.length)
    })
  const queue = new DestinationQueue({ limiter, keepsOrder, summarizes, now, send })

  function add(entry: Entry) {
    waiting.set(entry.id, entry)
    queue.add(entry)
  }

  async function end(at: number, isFailed = false) {
    const [one] = inFlight.splice(at % Math.max(1, inFlight.length), 1)
    if (!one) return
    if (isFailed) {
      const ms = limiter.trip(one.slot, () => BLOCKED_MS)
      for (const entry of one.entries) {
        queue.expect(entry.id, ms)
        failed.push({ at: now() + ms, entry: { ...entry, isLate: true } })
      }
    } else {
      limiter.release(one.slot)
      delivered.push(...one.entries.map(({ id }) => id))
    }
    one.done()
    await nextTurn()
  }

  async function advance(ms: number) {
    vi.advanceTimersByTime(ms)
    const due = failed.filter(({ at }) => at <= now())
    for (const one of due) {
      failed.splice(failed.indexOf(one), 1)
      add(one.entry)
    }
    await nextTurn()
  }

  function pause(isNow: boolean) {
    isPaused = isNow
    queue.setPaused(isNow)
  }

  /** Expects that a message under way or a timer will start what waits. */
  function expectNoStop() {
    expect(queue.size).toBe(waiting.size)
    if (queue.size > 0 && !isPaused && inFlight.length === 0)
      expect(vi.getTimerCount()).toBeGreaterThan(0)
  }

  const isOver = () => queue.size + inFlight.length + failed.length === 0
  return { add, advance, begun, delivered, end, expectNoStop, isOver, pause }
}

/** Runs the steps, and then lets the queue send everything. */
async function play(steps: readonly Step[], options: Options) {
  vi.clearAllTimers()
  const { add, advance, begun, delivered, end, expectNoStop, isOver, pause } = makeQueue(options)
  const added: Entry[] = []
  for (const one of steps) {
    if ('add' in one) {
      const { add: session, isPermission, isLate } = one
      const id = `${session}${added.length}`
      const delivery = makeDelivery(id)
      const flags = { isPermission, isLate, acceptedAt: added.length }
      const entry = { id, session, ...flags, delivery, load: async () => delivery }
      added.push(entry)
      add(entry)
    } else if ('end' in one) await end(one.end, one.isFailed)
    else if ('ms' in one) await advance(one.ms)
    else pause(one.isPaused)
    expectNoStop()
  }
  pause(false)
  for (let round = 0; round < 1000 && !isOver(); round += 1) {
    await end(round)
    await advance(1000)
    expectNoStop()
  }
  return { added, begun, delivered }
}

describe('a destination queue', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
  })

  it.each([
    ['that people read', { keepsOrder: false, summarizes: true }],
    ['that gets each message', { keepsOrder: false, summarizes: false }],
    ['that keeps the order', { keepsOrder: true, summarizes: false }],
  ])(
    'of a destination %s never stops, sends everything once, and questions first',
    async (_, kind) => {
      const steps = fc.array(step, { minLength: 20, maxLength: 120 })
      const rates = fc.record({
        concurrency: fc.integer({ min: 1, max: 4 }),
        minIntervalMs: fc.constantFrom(0, 1000),
      })
      const property = fc.asyncProperty(steps, rates, async (all, rate) => {
        const { added, begun, delivered } = await play(all, { ...kind, ...rate })
        expect([...delivered].sort()).toEqual(added.map(({ id }) => id).sort())
        // A failed message is sent again when it is due, so the order is checked only if none has failed.
        if (begun.length > added.length) return
        const inOrder = (entries: readonly Entry[], session: string) =>
          entries.filter((one) => one.session === session && !one.isPermission).map(({ id }) => id)
        for (const session of SESSIONS)
          expect(inOrder(begun, session)).toEqual(inOrder(added, session))
      })
      await fc.assert(property, { numRuns: runs(1000) })
    },
  )
})
