import { expect, it } from 'vitest'
import { notePurge, PurgeWatch } from '../../src/worker/purged.ts'
import { makeWorld } from './_world.ts'

it('a purge is noticed once by a worker that runs, and not by a later one', () => {
  const { stateDir } = makeWorld()
  const first = new PurgeWatch(stateDir)
  const noticed = () => [first.hasNew(), first.hasNew()]
  expect(noticed()).toEqual([false, false])
  notePurge(stateDir)
  expect(noticed()).toEqual([true, false])
  const second = new PurgeWatch(stateDir)
  expect(second.hasNew()).toBe(false)
  notePurge(stateDir)
  expect(noticed()).toEqual([true, false])
  expect(second.hasNew()).toBe(true)
})
