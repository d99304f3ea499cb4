import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/deliver/attempt.ts'
import { summarize } from '../../../src/deliver/summary.ts'
import type { Delivery } from '../../../src/delivery.ts'
import type { JournalEntry } from '../../../src/journal/entry.ts'
import { purge } from '../../../src/worker/control.ts'
import { deliverAndSettle, giveUp } from '../../../src/worker/dispatch/settle.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { makeDelivery } from '../../support/delivery.ts'
import { parkedOf } from '../../support/parked.ts'
import { makeWorld, readLines } from '../_world.ts'

const ids = ['e1', 'e2', 'e3']
const parts = ids.map((id) => makeDelivery(id))
const makeSummary = (): Delivery => ({
  ...summarize(parts as [Delivery, ...Delivery[]]),
  ...{ attempts: 1, firstTriedAt: 5 },
})
const delivered: Outcome = { type: 'delivered', attempt: 2, ms: 1, answer: 'ok' }
const deferred = (until: number, delivery = makeSummary()): Outcome => ({
  ...{ type: 'deferred', attempt: 1, reason: 'busy', until, delivery },
})
const triedOnce = { ...makeDelivery('e2'), attempts: 1, firstTriedAt: 5 }
const failed = (type: 'unavailable' | 'exhausted'): Outcome => ({
  ...{ type, attempt: 1, reason: 'gone', delivery: makeSummary() },
})

/** The parts of a worker whose attempts end as given, one after the other. */
function makeSettling(...outcomes: Outcome[]) {
  const world = makeWorld()
  const { deps } = openWorker(world)
  const tried: Delivery[] = []
  deps.deliverer.deliver = async (delivery) => {
    tried.push(delivery)
    return outcomes.shift() ?? delivered
  }
  const settle = (delivery: Delivery) => {
    const own = () => parts.map((part) => ({ delivery: part, group: 'g' }))
    return deliverAndSettle(delivery, async () => delivery, deps, {
      since: deps.now(),
      parts: own,
    })
  }
  const entries = () => readLines<JournalEntry>(join(world.stateDir, 'journal.jsonl'))
  return { world, deps, tried, settle, entries }
}

describe('a summary of several deliveries', () => {
  it('that failed is kept and recorded for each event, until its next attempt', async () => {
    const until = Date.now() + 60_000
    const { world, settle, entries } = makeSettling(deferred(until))
    await settle(makeSummary())
    expect(world.parked()).toEqual(ids.map((id) => `${id}.file`))
    for (const id of ids) {
      expect(parkedOf(world.spool, `${id}.file`)).toMatchObject({
        ...{ reason: 'busy', isHeld: false, group: 'g' },
        delivery: { events: [id], notBefore: until, attempts: 1, firstTriedAt: 5 },
      })
    }
    expect(entries().map(({ id, type }) => [id, type])).toEqual(ids.map((id) => [id, 'deferred']))
  })

  it.each([
    ['suppressed', [], { type: 'expired', reason: 'too late' } as const],
    ['unavailable', [], failed('unavailable')],
    ['exhausted', ids.map((id) => `${id}.file`), failed('exhausted')],
  ])('is recorded for each event as %s', async (type, dead, outcome) => {
    const { world, settle, entries } = makeSettling(outcome)
    await settle(makeSummary())
    expect(entries().map((entry) => [entry.id, entry.type])).toEqual(ids.map((id) => [id, type]))
    expect(world.dead()).toEqual(dead)
  })

  it('is recorded as delivered for each event, with the event whose message included it', async () => {
    const { settle, entries } = makeSettling(delivered, { ...delivered, summary: 'e0' })
    await settle(makeSummary())
    await settle(makeDelivery('e4'))
    const leads = entries().map((entry) => [entry.id, 'summary' in entry ? entry.summary : ''])
    expect(leads).toEqual([
      ['e1', ''],
      ['e2', 'e1'],
      ['e3', 'e1'],
      ['e4', 'e0'],
    ])
  })
})

describe('a message that was delivered', () => {
  it('is reviewed, since its session may have gone on while it was on its way', async () => {
    const { deps, settle, entries } = makeSettling(delivered)
    const reviewed: unknown[] = []
    deps.open.review = async (message) => void reviewed.push([message.sessionId, entries().length])
    await settle(makeDelivery('e4'))
    expect(reviewed).toEqual([[makeDelivery('e4').message.sessionId, 1]])
  })
})

describe('a delivery that was purged while it was queued', () => {
  it.each<[string, Outcome]>([
    ['failed', deferred(Date.now() + 60_000, triedOnce)],
    ['is given back, because the worker ends', { type: 'released' }],
  ])('is recorded as purged if it %s', async (_, outcome) => {
    const { world, deps, settle, entries } = makeSettling(outcome)
    const { deliver } = deps.deliverer
    deps.deliverer.deliver = async (...all) => {
      await nextTurn()
      await purge(world.stateDir)
      return await deliver(...all)
    }
    expect(await settle(makeDelivery('e2'))).toBe(true)
    expect(entries().map(({ id, type }) => [id, type])).toEqual([['e2', 'suppressed']])
    expect(world.parked()).toEqual([])
  })
})

describe('a delivery that cannot be stored', () => {
  it('is tried again by itself, with its attempts and its age, and is not recorded before', async () => {
    const { world, tried, settle, entries } = makeSettling(deferred(0, triedOnce))
    renameSync(world.spool.tmp, `${world.spool.tmp}.gone`)
    expect(await settle(makeDelivery('e2'))).toBe(true)
    expect(tried).toMatchObject([
      { events: ['e2'], attempts: 0, firstTriedAt: 0 },
      { events: ['e2'], attempts: 1, firstTriedAt: 5 },
    ])
    expect(entries().map(({ id, type }) => [id, type])).toEqual([['e2', 'delivered']])
  })

  it('is tried again only for the recipients who lack it', async () => {
    const remaining = ['b@example.com']
    const { world, tried, settle } = makeSettling(deferred(0, { ...triedOnce, remaining }))
    renameSync(world.spool.tmp, `${world.spool.tmp}.gone`)
    expect(await settle(makeDelivery('e2'))).toBe(true)
    expect(tried.map((one) => one.remaining)).toEqual([undefined, remaining])
  })

  it('is sent too early if a rule holds it', async () => {
    const delivery = makeDelivery('e2')
    const held: Outcome = { type: 'held', until: Date.now() + 60_000, reason: 'night', delivery }
    const { world, tried, settle, entries } = makeSettling(held)
    renameSync(world.spool.tmp, `${world.spool.tmp}.gone`)
    expect(await settle(delivery)).toBe(true)
    expect(tried.map((one) => one.isUnconditional)).toEqual([undefined, true])
    expect(entries().map(({ id, type }) => [id, type])).toEqual([['e2', 'delivered']])
  })

  it('is not recorded as given up before it is in dead/', async () => {
    const { world, deps, entries } = makeSettling()
    rmSync(world.spool.dead, { recursive: true })
    writeFileSync(world.spool.dead, '')
    await expect(giveUp(makeSummary(), 'too many crashes', deps)).rejects.toThrow()
    expect(entries()).toEqual([])
  })
})
