import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { listIfThere } from '../fs/list.ts'
import { renameFile } from '../fs/rename.ts'
import type { Spool } from './layout.ts'
import { formatName, parseName } from './names.ts'
import { readParked, readParkedOrThrow, writeParked } from './park.ts'

/** A delivery that gave up, or an event that cannot be handled. */
export interface DeadItem {
  /** Ids of the events concerned, oldest first. */
  events: readonly string[]
  /** The delivery's channel; absent for a whole event. */
  channel?: string
  name: string
}

/** The items in dead/. @throws the system error if the folder cannot be read */
export function listDead(spool: Spool): DeadItem[] {
  return listIfThere(spool.dead).flatMap((name) => {
    const parsed = parseName(name)
    if (!parsed) return []
    if (!parsed.isDelivery) return { events: [parsed.id], name }
    const delivery = readParked(join(spool.dead, name))?.delivery
    return delivery ? { events: delivery.events, channel: delivery.channel, name } : []
  })
}

/**
 * Queues the item again, with its id and as if it had never been tried. On the disk when this returns.
 * @throws the system error; the item is then unchanged
 */
export function retryItem(spool: Spool, { name, channel, events: [id = ''] }: DeadItem) {
  const path = join(spool.dead, name)
  const delivery = channel === undefined ? undefined : readParkedOrThrow(path)?.delivery
  if (delivery) {
    const anew = { notBefore: 0, attempts: 0, firstTriedAt: 0, expires: 0 }
    const again = { ...delivery, ...anew, isUnconditional: true }
    writeParked(spool, 'deferred', {
      ...{ since: 0, reason: 'retried by a person', isHeld: false },
      delivery: again,
    })
    rmSync(path, { force: true })
    return
  }
  // The name gets a `~`, so that the worker asks the journal which channels are open.
  renameFile(path, join(spool.new, formatName({ id, isDelivery: false }, 0)))
}

export function dropItem(spool: Spool, { name }: DeadItem) {
  rmSync(join(spool.dead, name), { force: true })
}
