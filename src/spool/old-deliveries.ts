import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writeDurable } from '../fs/durable.ts'
import { isMissing, listQuietly, readQuietly } from '../fs/read.ts'
import {
  type Card,
  cardText,
  openSchema,
  placeCard,
  shownOn,
  shownSchema,
  tmpPathIn,
} from './card.ts'
import { readSpoolFile } from './event-file.ts'
import { parseName, type Spool } from './layout.ts'
import { putRequest } from './requests.ts'

/** Made on demand: zod takes a tenth of a start, and most have no such file. */
function oldSchema() {
  return openSchema.omit({ state: true }).extend({
    format: z.literal('hookbell-delivery 1'),
    isHeld: z.boolean(),
  })
}

/** The event and the channel. */
const OLD_NAME = /^[^.]+\.[^.]+$/

/**
 * Makes cards of the files that earlier builds had for each delivery, in deferred/ and dead/, and keeps their hold. They were
 * never released, so this may go with the first release.
 */
export function adoptOldDeliveries(spool: Spool) {
  const { cards, dead } = spool
  const held = join(spool.state, 'on-hold')
  if (!isMissing(held)) {
    putRequest(spool.state, 'hold')
    rmSync(held)
  }
  rmSync(join(spool.state, 'own-channels.json'), { force: true })
  adoptShown(join(spool.state, 'shown.json'), spool)
  for (const [from, to] of [
    [join(spool.state, 'spool', 'deferred'), cards],
    // What an old worker had claimed when it crashed.
    [cards, cards],
    [dead, dead],
  ] as const) {
    for (const name of listQuietly(from)) {
      if (OLD_NAME.test(parseName(name)?.id ?? '')) adopt(join(from, name), to, spool)
    }
  }
}

/** What cannot be read stays where it is. */
function adopt(path: string, folder: string, spool: Spool) {
  const old = readOld(path)
  const id = old?.delivery.events[0]
  if (!old || id === undefined) return
  const { isHeld, format: _, ...rest } = old
  const state = folder === spool.dead ? 'dead' : isHeld ? 'held' : 'deferred'
  const card = new Map([[old.delivery.channel, { ...rest, state } as const]])
  place(card, id, folder, spool)
  rmSync(path, { force: true })
}

function place(card: Card, id: string, folder: string, { tmp }: Spool) {
  const path = tmpPathIn(tmp)
  writeDurable(path, [cardText(card)], `${path}.new`)
  placeCard(path, folder, { id })
}

/** The messages that are shown were a list in one file. */
function adoptShown(path: string, spool: Spool) {
  for (const shown of readShown(path)) {
    const { event, channel, at: since } = shown
    const card = new Map([[shownOn(channel), { ...shown, state: 'shown', since } as const]])
    place(card, event, spool.cards, spool)
  }
  rmSync(path, { force: true })
}

function readShown(path: string) {
  const text = readQuietly(path)
  if (text === undefined) return []
  const old = z.array(shownSchema.omit({ state: true, since: true }))
  try {
    return old.parse(JSON.parse(text).shown)
  } catch {
    return []
  }
}

function readOld(path: string): z.output<ReturnType<typeof oldSchema>> | undefined {
  try {
    const file = readSpoolFile(path)
    return 'foreign' in file ? undefined : oldSchema().parse(JSON.parse(file.bytes.toString()))
  } catch {
    return undefined
  }
}
