import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FileStore } from '../../src/spool/file-store.ts'
import { outlineParked } from '../../src/spool/outline.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeWorld } from '../worker/_world.ts'

const later = Date.now() + 3600_000

/** A delivery that is held for an hour, and the path of its file. */
async function makeParked() {
  const { spool, stateDir } = makeWorld()
  const open = () => {
    const store = new FileStore({ stateDir })
    onTestFinished(() => store.close())
    return store
  }
  const store = open()
  await store.park(makeDelivery('e', { notBefore: later }), { reason: 'x', isHeld: true })
  return { spool, store, open, path: join(spool.deferred, 'e.file.json') }
}

describe('the time of a parked delivery', () => {
  it('is on the disk once, in the delivery', async () => {
    const { spool, store, path } = await makeParked()
    const { until, delivery } = JSON.parse(readFileSync(path, 'utf8'))
    expect([until, delivery.notBefore]).toEqual([undefined, later])
    expect(outlineParked(spool)).toEqual([{ until: later, isHeld: true }])
    expect(store.due()).toEqual([])
  })
})
