import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DestinationLimiter,
  DestinationQueue,
  type Slot,
  type Waiting,
} from '../../src/deliver/destination-queue.ts'
import { makeDelivery } from '../support/delivery.ts'

interface Sent {
  ids: string[]
  end(): Promise<void>
}

/** A queue with a clock and a receiver that the test controls. */
function makeQueue({ concurrency = 1, summarizes = false, keepsOrder = false } = {}) {
  let now = 0
  let added = 0
  const sent: Sent[] = []
  const limiter = new DestinationLimiter({ concurrency, minIntervalMs: 0, now: () => now })
  const send = (entries: readonly Waiting[], slot: Slot) =>
    new Promise<void>((resolve) => {
      const end = async () => {
        limiter.release(slot)
        resolve()
        await Promise.resolve()
        await new Promise((next) => setImmediate(next))
      }
      sent.push({ ids: entries.map(({ delivery }) => delivery?.events[0] ?? ''), end })
    })
  const queue = new DestinationQueue({ limiter, keepsOrder, summarizes, now: () => now, send })
  return {
    queue,
    sent,
    limiter,
    advance: (ms: number) => {
      now += ms
    },
    /** Adds an entry named `session/id`; a `?` at the end marks a permission question. */
    add(name: string, { at, isLate = false }: { at?: number; isLate?: boolean } = {}) {
      const [session = '', id = ''] = name.replace('?', '').split('/')
      const delivery = makeDelivery(id)
      const isPermission = name.endsWith('?')
      added += 1
      const waiting = { id, session, isPermission, isLate, acceptedAt: at ?? added, delivery }
      queue.add({ ...waiting, load: async () => delivery })
    },
  }
}

/** A queue whose entries are given by session and id. */
function makeSessionQueue(options: { concurrency?: number; keepsOrder?: boolean } = {}) {
  let now = 0
  const { concurrency = 1, keepsOrder = false } = options
  const limiter = new DestinationLimiter({ concurrency, minIntervalMs: 0, now: () => now })
  const started: string[] = []
  const inFlight: { id: string; slot: Slot; done(): void }[] = []
  const send = ([entry]: readonly Waiting[], slot: Slot) =>
    new Promise<void>((resolve) => {
      const id = entry?.delivery?.id ?? ''
      started.push(id)
      inFlight.push({ id, slot, done: resolve })
    })
  const queue = new DestinationQueue({
    limiter,
    keepsOrder,
    summarizes: false,
    now: () => now,
    send,
  })
  return {
    queue,
    started,
    inFlight,
    add(session: string, id: string, isPermission = false) {
      const delivery = makeDelivery(id, { id })
      now += 1
      const waiting = { id, session, isPermission, isLate: false, acceptedAt: now, delivery }
      queue.add({ ...waiting, load: async () => delivery })
    },
    async end(at = 0) {
      const [one] = inFlight.splice(at, 1)
      if (!one) return
      limiter.release(one.slot)
      one.done()
      await new Promise((next) => setImmediate(next))
    },
  }
}

describe('a destination queue', () => {
  it('sends permission questions before everything else', async () => {
    const { add, end, started } = makeSessionQueue()
    add('a', 'a1')
    add('a', 'a2')
    add('b', 'b1')
    add('a', 'a3', true)
    add('c', 'c1', true)
    for (let round = 0; round < 5; round += 1) await end()
    expect(started).toEqual(['a1', 'a3', 'c1', 'b1', 'a2'])
  })

  it('keeps the order within a session while other sessions overtake it', async () => {
    const { add, end, started } = makeSessionQueue({ concurrency: 2 })
    for (const id of ['a1', 'a2', 'a3']) add('a', id)
    add('b', 'b1')
    expect(started).toEqual(['a1', 'b1'])
    await end(1)
    expect(started).toEqual(['a1', 'b1'])
    await end(0)
    expect(started).toEqual(['a1', 'b1', 'a2'])
  })

  it('keeps the order within a session of which nothing was being sent when its entries were added', async () => {
    const { add, end, started } = makeSessionQueue({ concurrency: 2 })
    for (const session of ['x', 'y']) add(session, `${session}1`)
    for (const id of ['a1', 'a2']) add('a', id)
    await end()
    await end()
    expect(started).toEqual(['x1', 'y1', 'a1'])
    await end()
    expect(started).toEqual(['x1', 'y1', 'a1', 'a2'])
  })

  it('sends all waiting entries in one summary once the first one has waited too long', async () => {
    const { add, sent, queue, advance } = makeQueue({ summarizes: true })
    for (let index = 0; index < 10; index += 1) add(`s${index}/e${index}`)
    add('s3/q?')
    await sent[0]?.end()
    expect(sent[1]?.ids).toEqual(['q'])
    advance(2000)
    await sent[1]?.end()
    expect(sent[2]?.ids).toHaveLength(9)
    expect(queue.size).toBe(0)
  })

  it('does not summarize a few entries, recent ones, nor any for a notifier that writes records', async () => {
    const few = makeQueue({ summarizes: true })
    for (let index = 0; index < 6; index += 1) few.add(`s${index}/e${index}`)
    few.advance(5000)
    await few.sent[0]?.end()
    expect(few.sent[1]?.ids).toHaveLength(1)
    const early = makeQueue({ summarizes: true })
    for (let index = 0; index < 10; index += 1) early.add(`s${index}/e${index}`)
    early.advance(1999)
    await early.sent[0]?.end()
    expect(early.sent[1]?.ids).toHaveLength(1)
    const file = makeQueue()
    for (let index = 0; index < 50; index += 1) file.add(`s${index}/e${index}`)
    file.advance(5000)
    await file.sent[0]?.end()
    expect(file.sent[1]?.ids).toHaveLength(1)
  })

  it('sends late entries in one summary at once, as after `hookbell hold`', () => {
    const { add, sent, queue } = makeQueue({ summarizes: true })
    queue.setPaused(true)
    for (let index = 0; index < 6; index += 1) add(`s${index}/e${index}`, { isLate: true })
    queue.setPaused(false)
    expect(sent.map(({ ids }) => ids.length)).toEqual([6])
  })

  it('delays a due summary until what is under way has ended, but not permission questions', async () => {
    const { add, sent, queue, advance } = makeQueue({ summarizes: true, concurrency: 2 })
    for (let index = 0; index < 9; index += 1) add(`s${index}/e${index}`)
    advance(2000)
    await sent[0]?.end()
    add('s3/q?')
    expect(sent.map(({ ids }) => ids)).toEqual([['e0'], ['e1'], ['q']])
    await sent[2]?.end()
    await sent[1]?.end()
    expect(sent[3]?.ids).toEqual(['e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8'])
    expect(queue.size).toBe(0)
  })

  it('keeps only the texts of the first few hundred entries in memory', () => {
    const { add, queue } = makeQueue()
    for (let index = 0; index < 2000; index += 1) add(`s${index}/e${index}`)
    const waiting = queue.clear()
    expect(waiting).toHaveLength(1999)
    expect(waiting.filter(({ delivery }) => delivery).length).toBeLessThanOrEqual(500)
  })

  it('keeps texts of new entries in memory again after earlier entries have left', () => {
    const { add, queue, advance } = makeQueue()
    const loaded = (entries: Waiting[]) => entries.filter(({ delivery }) => delivery).length
    const addMany = (count: number) => {
      for (let index = 0; index < count; index += 1) add(`s${index}/e${index}`)
    }
    queue.setPaused(true)
    addMany(600)
    const all = queue.clear()
    expect(loaded(all)).toBe(500)
    // Entries without their text are added first.
    for (const entry of all.reverse()) queue.add(entry)
    advance(1)
    expect(queue.takeOlderThan(2)).toEqual([])
    expect(queue.size).toBe(600)
    const again = queue.takeOlderThan(1)
    expect([again.length, loaded(again), queue.size]).toEqual([600, 500, 0])
    addMany(600)
    advance(1)
    queue.takeOlderThan(2)
    addMany(10)
    expect(loaded(queue.clear())).toBe(500)
  })

  it('summarizes in the order of arrival, not session by session', async () => {
    const { add, sent, advance } = makeQueue({ summarizes: true })
    add('x/first')
    for (const name of ['a/1', 'a/2', 'b/3', 'a/4', 'c/5', 'b/6']) {
      add(name)
      advance(1000)
    }
    await sent[0]?.end()
    expect(sent[1]?.ids).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  it('starts nothing while it is paused', async () => {
    const { add, queue, sent } = makeQueue()
    queue.setPaused(true)
    add('a/1')
    expect(sent).toEqual([])
    queue.setPaused(false)
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['', 1],
    [' of the same millisecond', 2],
  ])('sends a failed delivery again before later ones%s of its session', async (_, at) => {
    const { add, queue, sent, limiter, advance } = makeQueue({ keepsOrder: true })
    const ids = () => sent.flatMap((one) => one.ids)
    limiter.trip(limiter.acquire(), () => 2000)
    queue.expect('first', 2000)
    add('a/second', { at: 2 })
    advance(2000)
    queue.pump()
    expect(ids()).toEqual([])
    add('a/first', { at })
    expect(ids()).toEqual(['first'])
    await sent[0]?.end()
    expect(ids()).toEqual(['first', 'second'])
  })

  it('waits longer for a failed delivery that is still coming, but at most a minute', () => {
    const { add, queue, sent, advance } = makeQueue({ keepsOrder: true })
    queue.expect('late', 2000, () => true)
    add('a/second', { at: 2 })
    for (let ms = 0; ms < 60_000; ms += 4000) {
      advance(4000)
      queue.pump()
      expect(sent).toEqual([])
    }
    advance(2000)
    queue.pump()
    expect(sent).toHaveLength(1)
  })

  it('stops waiting for a failed delivery that does not come back', () => {
    const { add, queue, sent, advance } = makeQueue({ keepsOrder: true })
    queue.expect('gone', 2000)
    add('a/second', { at: 2 })
    advance(6999)
    queue.pump()
    expect(sent).toEqual([])
    advance(1)
    queue.pump()
    expect(sent).toHaveLength(1)
  })
})

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
