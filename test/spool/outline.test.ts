import { expect, it, onTestFinished } from 'vitest'
import { FileStore } from '../../src/spool/file-store.ts'
import { outlineOpen } from '../../src/spool/outline.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeWorld } from '../worker/_world.ts'

it('the outline of open deliveries says when each is due, and whether a rule holds it', async () => {
  const { spool, stateDir } = makeWorld()
  const store = new FileStore({ stateDir })
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
