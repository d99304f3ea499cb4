import { expect, it, onTestFinished } from 'vitest'
import { hasWaiting, outlineOpen } from '../../src/spool/outline.ts'
import { Store } from '../../src/spool/store.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeWorld } from '../worker/_world.ts'

it('the outline of open deliveries says when each is due, and whether a rule holds it', async () => {
  const { spool, stateDir } = makeWorld()
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  const later = Date.now() + 3600_000
  for (const [channel, state] of [
    ['desk', 'held'],
    ['team', 'deferred'],
  ] as const) {
    const delivery = makeDelivery('e', { channel, notBefore: later })
    await store.keep({ state, reason: 'x', delivery })
  }
  expect(outlineOpen(spool)).toEqual([
    { until: later, isHeld: true },
    { until: later, isHeld: false },
  ])
  expect(store.due()).toEqual([])
})

it('what a channel shows of an event does not wait', async () => {
  const { spool, stateDir } = makeWorld()
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  const about = { session: 's', event: 'e', client: 'claude', sessionId: 's1', at: 1 }
  const shown = { ...about, kind: 'permission' as const, questions: [], sessionEnv: {} }
  await store.keepShown({ ...shown, channel: 'desk', handle: 'h' })
  expect([outlineOpen(spool), hasWaiting(stateDir)]).toEqual([[], false])
  expect([store.due(), store.deliveries(), store.nextDueInMs()]).toEqual([[], [], undefined])
  expect(store.isKept('e', 'desk')).toBe(false)
  // An attempt that failed may have arrived: both are known.
  const delivery = makeDelivery('e', { channel: 'desk' })
  await store.keep({ state: 'deferred', reason: 'x', delivery })
  expect([store.due(), store.shown().length]).toEqual([['e.desk'], 1])
  expect([hasWaiting(stateDir), store.isKept('e', 'desk')]).toEqual([true, true])
})
