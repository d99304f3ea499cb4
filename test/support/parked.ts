import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listQuietly } from '../../src/fs/list.ts'
import type { Spool } from '../../src/spool/layout.ts'
import { parseName } from '../../src/spool/names.ts'
import { type Parked, readParked, writeParked } from '../../src/spool/park.ts'

// What the tests know of how deliveries wait on the disk.

/** The deliveries that wait for their time: event and channel, with `~n` once a worker has had them. */
export function listParked(spool: Pick<Spool, 'deferred'>): string[] {
  return listQuietly(spool.deferred).map((name) => name.replace(/\.json$/, ''))
}

/** Lets a delivery wait for its time. */
export function park(spool: Spool, parked: Omit<Parked, 'format'>) {
  writeParked(spool, 'deferred', parked)
}

/** Keeps a delivery that gave up. */
export function parkDead(spool: Spool, parked: Omit<Parked, 'format'>) {
  writeParked(spool, 'dead', parked)
}

/** @param name as `listParked` returns it */
export function parkedOf(spool: Spool, name: string): Parked | undefined {
  return readParked(join(spool.deferred, `${name}.json`))
}

/** Changes a delivery in place, while no worker runs. */
export function changeParked(spool: Spool, name: string, change: (parked: Parked) => Parked) {
  const parked = parkedOf(spool, name)
  if (!parked) throw new Error(`${name} does not wait`)
  writeFileSync(join(spool.deferred, `${name}.json`), JSON.stringify(change(parked)))
}

/** As after so many workers have crashed while they had the delivery. */
export function setCrashes(spool: Spool, name: string, crashes: number) {
  const { id = '' } = parseName(`${name}.json`) ?? {}
  renameSync(join(spool.deferred, `${name}.json`), join(spool.deferred, `${id}~${crashes}.json`))
}

export function removeParked(spool: Spool, name: string) {
  rmSync(join(spool.deferred, `${name}.json`))
}

export function damageParked(spool: Spool, name: string) {
  writeFileSync(join(spool.deferred, `${name}.json`), '{')
}

/** The deliveries that gave up: event and channel; and the events that cannot be handled, by their ids. */
export function listDeadItems(spool: Pick<Spool, 'dead'>): string[] {
  return listQuietly(spool.dead).map((name) => name.replace(/\.json$/, ''))
}
