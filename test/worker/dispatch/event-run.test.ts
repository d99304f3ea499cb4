import { describe, expect, it, onTestFinished } from 'vitest'
import type { Outcome } from '../../../src/deliver/attempt.ts'
import { fingerprintOf, runEvent } from '../../../src/worker/dispatch/event-run.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { makeWorld } from '../_world.ts'

const stop = { client: 'droid', body: Buffer.from('{"a":"\xff"}', 'latin1'), truncated: false }
const print = (more: Partial<typeof stop> = {}, session = 's1') =>
  fingerprintOf({ ...stop, ...more }, session)

describe('an event whose delivery waits', () => {
  it('keeps neither its text nor that of the delivery in memory', async () => {
    const world = makeWorld()
    const { deps } = openWorker(world)
    onTestFinished(() => deps.store.close())
    const texts: WeakRef<object>[] = []
    const queue: ((outcome: Outcome) => void)[] = []
    const { store } = deps
    const readEvent = store.readEvent.bind(store)
    store.readEvent = (claim) => {
      const stored = readEvent(claim)
      if (stored) texts.push(new WeakRef(stored.body))
      return stored
    }
    deps.deliverer.deliver = ({ message }) => {
      texts.push(new WeakRef(message))
      // Keeps the promise, and all that waits for it, in memory, as a queue does.
      return new Promise((resolve) => queue.push(resolve))
    }
    world.accept({ message: 'A long text' })
    const [event] = store.waiting({ max: 1, isLater: () => false })
    const claim = store.claimEvent(event?.name ?? '')
    if (!claim) throw new Error('nothing waits')
    let running: Promise<void> | undefined
    await new Promise<void>((onQueued) => {
      running = runEvent(claim, deps, onQueued)
    })
    expect(texts).toHaveLength(2)
    await expect
      .poll(() => {
        collectGarbage()
        return texts.filter((one) => one.deref() !== undefined).length
      })
      .toBe(0)
    for (const end of queue) end({ type: 'released' })
    await running
    expect(world.list('new')).toHaveLength(1)
  })
})

describe('the fingerprint of an event', () => {
  it('is the same from another hook, whatever white space is around the event', () => {
    expect(print()).toMatch(/^[0-9a-f]{24}$/)
    const body = Buffer.concat([Buffer.from('\n'), stop.body, Buffer.from(' \r\n')])
    expect(print({ body })).toBe(print())
  })

  it('differs for another client or other bytes, even if those are not text', () => {
    expect(print({ client: 'claude' })).not.toBe(print())
    expect(print({ body: Buffer.from('{"a":"\xfe"}', 'latin1') })).not.toBe(print())
  })

  it('is unknown without a session, or if the event is incomplete', () => {
    expect(print({}, '')).toBeUndefined()
    expect(print({ truncated: true })).toBeUndefined()
  })
})
