import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { renameFile } from '../fs/durable.ts'
import { listIfThere } from '../fs/read.ts'
import { appendEntry } from '../journal/journal.ts'
import { addCard, type Open, readCard, readCardQuietly } from '../spool/card.ts'
import { formatName, parseName, prepareSpool, type Spool } from '../spool/layout.ts'
import { putRequest } from '../spool/requests.ts'

/** A delivery that gave up, or an event that cannot be handled. */
export interface DeadItem {
  /** Id of the event. */
  event: string
  /** The delivery's channel; absent for a whole event. */
  channel?: string
  name: string
}

// Each record is written before the move: a running worker delivers at once, and its records must come after this one.

/** Ends the pauses of destinations that have failed: a person who retries something dead has repaired them. */
export function endPauses(stateDir: string): void {
  prepareSpool(stateDir)
  putRequest(stateDir, 'flush')
}

/** Retries a dead delivery or event under the same id. Channels that delivered the event do not get it again. */
export async function retryDead(stateDir: string, item: DeadItem): Promise<void> {
  await appendEntry(stateDir, { at: Date.now(), id: item.event, type: 'retried' })
  await retryItem(prepareSpool(stateDir), item)
}

/** Removes the item for good. Its event no longer counts as dead. */
export async function dropDead(stateDir: string, item: DeadItem): Promise<void> {
  const { event: id, channel } = item
  const dropped = {
    type: 'dropped',
    ...(channel && { channel }),
    reason: 'dropped by hand',
  } as const
  await appendEntry(stateDir, { at: Date.now(), id, ...dropped })
  dropItem(prepareSpool(stateDir), item)
}

/** Dead items of the events whose id begins with `start`. */
export function findDead(stateDir: string, start = ''): DeadItem[] {
  return listDead(prepareSpool(stateDir)).filter(({ event }) => event.startsWith(start))
}

/** The items in dead/. @throws the system error if the folder cannot be read */
export function listDead(spool: Spool): DeadItem[] {
  return listIfThere(spool.dead).flatMap((name) => {
    const parsed = parseName(name)
    if (!parsed) return []
    const event = parsed.id
    if (!parsed.isCard) return { event, name }
    const card = readCardQuietly(join(spool.dead, name)) ?? new Map()
    return [...card.keys()].map((channel) => ({ event, channel, name }))
  })
}

/**
 * Queues the item again, with its id and as if it had never been tried. On the disk when this resolves.
 * @throws the system error; the item is then unchanged
 */
export async function retryItem(spool: Spool, { name, channel, event }: DeadItem): Promise<void> {
  const path = join(spool.dead, name)
  if (channel === undefined) {
    // The name gets a `~`, so that the worker asks the journal which channels are open.
    return renameFile(path, join(spool.new, formatName({ id: event, isCard: false }, 0)))
  }
  const dead = readCard(path)
  if (dead)
    await addCard(
      spool.cards,
      event,
      new Map([...dead].flatMap(([to, one]) => (one.state === 'shown' ? [] : [[to, anew(one)]]))),
      spool,
    )
  rmSync(path, { force: true })
}

function anew({ delivery }: Open): Open {
  const times = { notBefore: 0, attempts: 0, firstTriedAt: 0, expires: 0 }
  return {
    ...{ state: 'deferred', since: Date.now(), reason: 'retried by a person' },
    delivery: { ...delivery, ...times, isUnconditional: true },
  }
}

export function dropItem(spool: Spool, { name }: DeadItem) {
  rmSync(join(spool.dead, name), { force: true })
}
