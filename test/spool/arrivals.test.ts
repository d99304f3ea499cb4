import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Arrivals } from '../../src/spool/arrivals.ts'
import { newId } from '../../src/spool/new-id.ts'
import { makeFolder } from '../support/folder.ts'

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
