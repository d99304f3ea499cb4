import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/spool/layout.ts'
import { Arrivals, findExcess, limitsWith } from '../../src/spool/waiting-limits.ts'
import { makeFolder } from '../support/folder.ts'

const MIB = 1024 * 1024
const DAY_MS = 24 * 3600_000
const none = { maxFiles: 1e9, maxBytes: Number.POSITIVE_INFINITY, maxDays: 1e9 }

/** Events that were accepted this many days after the first one. The one named `q` is a question. */
function makeEvents(days: readonly number[], names = 'abcdefgh') {
  return days.map((day, index) => ({
    id: names[index] ?? '',
    acceptedAt: 1e12 + day * DAY_MS,
    bytes: 100,
  }))
}

function namesOf(events: ReturnType<typeof makeEvents>, limits: object) {
  const isQuestion = ({ id }: { id: string }) => id === 'q'
  return [...findExcess(events, isQuestion, { ...none, ...limits })]
}

const oneDay = makeEvents([0, 0.1, 0.2, 0.3], 'aqbc')

describe('the limits of waiting events', () => {
  it('remove the oldest first if there are too many', () => {
    const reason = 'more than 2 waited'
    expect(namesOf(makeEvents([0, 0, 0, 0]), { maxFiles: 2 })).toEqual([
      { name: 'a', reason },
      { name: 'b', reason },
    ])
  })

  it('keep questions as long as there is something else', () => {
    const names = (maxFiles: number) => namesOf(oneDay, { maxFiles }).map(({ name }) => name)
    expect(names(2)).toEqual(['a', 'b'])
    expect(names(1)).toEqual(['a', 'b', 'c'])
    expect(names(0)).toEqual(['a', 'b', 'c', 'q'])
  })

  it('remove the oldest until the rest is small enough', () => {
    const big = makeEvents([0, 0, 0]).map((one) => ({ ...one, bytes: MIB }))
    expect(namesOf(big, { maxBytes: 2 * MIB })).toEqual([
      { name: 'a', reason: 'more than 2 MiB waited' },
    ])
  })

  it('remove nothing at the limits themselves', () => {
    expect(namesOf(oneDay, { maxFiles: 4, maxBytes: 400 })).toEqual([])
    expect(namesOf([], { maxFiles: 0, maxBytes: 0, maxDays: 0 })).toEqual([])
  })

  it('remove what is older than the maximum number of days, even a question', () => {
    const events = makeEvents([0, 0.5, 1, 1.5, 2, 2.5, 3], 'aqbcdef')
    expect(namesOf(events, { maxDays: 2.5 })).toEqual([
      { name: 'a', reason: 'waited for 2.5 days' },
      { name: 'q', reason: 'waited for 2.5 days' },
    ])
  })

  it('count a gap between two events as a day at most, because the clock may have jumped', () => {
    const events = makeEvents([0, 4000, 4000.5])
    expect(namesOf(events, { maxDays: 2 })).toEqual([])
    expect(namesOf(events, { maxDays: 1.5 })).toMatchObject([{ name: 'a' }])
  })

  it('are lower on a disk that is nearly full', () => {
    expect(limitsWith(64 * MIB)).toEqual({ maxFiles: 100_000, maxBytes: 512 * MIB, maxDays: 30 })
    expect(limitsWith(64 * MIB - 1)).toEqual({ maxFiles: 10_000, maxBytes: 64 * MIB, maxDays: 30 })
  })
})

function add(folder: string, name: string, at: number) {
  const path = join(folder, name)
  writeFileSync(path, '')
  utimesSync(path, at, at)
}

function idsOf(arrivals: Arrivals): string[] {
  return arrivals.list().map(({ id }) => id)
}

it('the list of arrivals is ordered by age, even if an older event arrives later', async () => {
  const folder = await makeFolder()
  const arrivals = new Arrivals(folder)
  expect(idsOf(arrivals)).toEqual([])
  add(folder, 'b', 20)
  add(folder, 'd', 40)
  expect(idsOf(arrivals)).toEqual(['b', 'd'])
  add(folder, 'c', 30)
  add(folder, 'a', 10)
  expect(idsOf(arrivals)).toEqual(['a', 'b', 'c', 'd'])
})

it('the list of arrivals drops a removed event, and includes it again when it comes back', async () => {
  const folder = await makeFolder()
  const arrivals = new Arrivals(folder)
  add(folder, 'a', 10)
  add(folder, 'b', 20)
  arrivals.list()
  rmSync(join(folder, 'a'))
  expect(idsOf(arrivals)).toEqual(['b'])
  add(folder, 'a', 30)
  expect(idsOf(arrivals)).toEqual(['b', 'a'])
})

it('the list of arrivals has events of one tick of the clock in the order of their ids', async () => {
  const folder = await makeFolder()
  const ids = Array.from({ length: 50 }, newId)
  const arrivals = new Arrivals(folder)
  for (const rest of [1, 0]) {
    for (const id of ids.filter((_, index) => index % 2 === rest)) add(folder, id, 10)
    arrivals.list()
  }
  expect(idsOf(arrivals)).toEqual(ids)
})
