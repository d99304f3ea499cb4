import { expect, it } from 'vitest'
import { lastEventFinder } from '../../src/doctor/last-event.ts'
import { emptyStatus } from '../../src/journal/history.ts'

it('all latest events are read only if the client sent none of the last ten', () => {
  const clients = ['claude', 'droid', ...Array.from({ length: 20 }, () => 'droid')]
  const events = clients.map((client, at) => ({ ...emptyStatus(`${at}`, at), client }))
  const reads: number[] = []
  const lastEventOf = lastEventFinder(events, (chosen) => {
    reads.push(chosen.length)
    return chosen
  })
  expect(lastEventOf('droid')?.id).toBe('21')
  expect(reads).toEqual([10])
  expect(lastEventOf('claude')?.id).toBe('0')
  expect(lastEventOf('codex')).toBeUndefined()
  expect(lastEventOf('droid')?.id).toBe('21')
  expect(reads).toEqual([10, 22])
})
