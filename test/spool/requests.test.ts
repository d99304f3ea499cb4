import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { putRequest, RequestWatch } from '../../src/spool/requests.ts'
import { Store } from '../../src/spool/store.ts'
import { flush } from '../../src/worker/control.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeFolder } from '../support/folder.ts'

const HOUR_MS = 3600_000

async function makeStore() {
  const stateDir = await makeFolder()
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  const park = (event: string, isHeld = false) =>
    store.keep({
      state: isHeld ? 'held' : 'deferred',
      reason: 'x',
      delivery: makeDelivery(event, { notBefore: Date.now() + HOUR_MS }),
    })
  return { store, stateDir, park }
}

describe('a flush', () => {
  it('makes failed deliveries due, in every store that is open or opened later', async () => {
    const { store, stateDir, park } = await makeStore()
    await park('failed')
    expect([store.due(), store.takeFlush()]).toEqual([[], false])
    expect(flush(stateDir)).toBe(1)
    expect([store.takeFlush(), store.takeFlush()]).toEqual([true, false])
    const later = new Store({ stateDir })
    onTestFinished(() => later.close())
    expect(later.takeFlush()).toBe(false)
    for (const one of [store, later]) {
      expect(one.due()).toEqual(['failed.file'])
      expect(one.nextDueInMs()).toBe(0)
    }
  })

  it('leaves held deliveries as they are, and does not count them', async () => {
    const { store, stateDir, park } = await makeStore()
    await park('held', true)
    expect(flush(stateDir)).toBe(0)
    await park('failed')
    expect(flush(stateDir)).toBe(1)
    store.takeFlush()
    expect(store.due()).toEqual(['failed.file'])
  })

  it('rewrites no delivery, so one that is claimed meanwhile does not come back', async () => {
    const { store, stateDir, park } = await makeStore()
    await park('failed')
    const path = join(store.spool.cards, 'failed.json')
    const before = lstatSync(path)
    flush(stateDir)
    const { ino, mtimeMs } = lstatSync(path)
    expect([ino, mtimeMs]).toEqual([before.ino, before.mtimeMs])
  })

  it.each([
    ['an hour ahead of the clock', `${Date.now() + HOUR_MS}\n`],
    ['damaged', 'x'],
    ['empty', ''],
  ])('does not count when its time is %s', async (_, text) => {
    const { store, park } = await makeStore()
    await park('failed')
    writeFileSync(join(store.spool.requests, 'flush'), text)
    store.takeFlush()
    expect(store.due()).toEqual([])
  })

  it('does not count for a delivery that failed afterwards', async () => {
    const { store, stateDir, park } = await makeStore()
    await park('failed')
    flush(stateDir)
    const flushedAt = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(flushedAt)
    await park('failed')
    store.takeFlush()
    expect(store.due()).toEqual([])
  })
})

describe('a request', () => {
  it('is noticed once by a worker that runs, and not by a later one', async () => {
    const { stateDir } = await makeStore()
    const first = new RequestWatch(stateDir, 'purge')
    const noticed = () => [first.hasNew(), first.hasNew()]
    expect(noticed()).toEqual([false, false])
    putRequest(stateDir, 'purge', '1')
    putRequest(stateDir, 'flush', '1')
    expect(noticed()).toEqual([true, false])
    const second = new RequestWatch(stateDir, 'purge')
    expect(second.hasNew()).toBe(false)
    putRequest(stateDir, 'purge', '2')
    expect(noticed()).toEqual([true, false])
    expect(second.hasNew()).toBe(true)
  })
})
