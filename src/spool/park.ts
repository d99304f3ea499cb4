import { basename, join } from 'node:path'
import * as z from 'zod'
import { deliverySchema } from '../delivery.ts'
import { writeDurable } from '../fs/durable.ts'
import { writeDurableAsync } from '../fs/durable-async.ts'
import type { Spool } from './layout.ts'
import { formatName, parseName } from './names.ts'
import { readSpoolFile } from './read.ts'

/** The number changes when the format does. */
const FORMAT = 'hookbell-delivery 1'

/** A delivery on the disk: one that waits for its time, or one that gave up. */
const parkedSchema = z.object({
  format: z.literal(FORMAT),
  since: z
    .number()
    .describe('When it was parked, Unix ms: if the clock shows less, it was set back'),
  reason: z.string(),
  isHeld: z.boolean().describe('Held by a policy; otherwise parked after a failure'),
  isAsked: z
    .boolean()
    .optional()
    .describe('The destination has asked to wait until it is due; absent for false'),
  group: z.string().optional().describe('Deliveries of a group that are due become one message'),
  expects: z.enum(['turn', 'notice']).optional().describe('What is expected to follow it'),
  earliest: z
    .number()
    .optional()
    .describe('When a later step may go if nobody was reached, Unix ms'),
  dueOtherwise: z
    .number()
    .optional()
    .describe('When it would be due without quiet hours, Unix ms; absent if they do not hold it'),
  project: z.string().optional().describe('By which a later mute may name it, if it is held'),
  delivery: deliverySchema,
})

export type Parked = z.output<typeof parkedSchema>

type ParkFolder = 'deferred' | 'dead'

/** When this returns, the delivery survives a power cut. @throws the system error */
export function writeParked(spool: Spool, folder: ParkFolder, parked: Omit<Parked, 'format'>) {
  const { path, text, tmpPath } = fileFor(spool, folder, parked)
  writeDurable(path, [text], tmpPath)
}

/** The same without blocking this process. */
export async function writeParkedAsync(
  spool: Spool,
  folder: ParkFolder,
  parked: Omit<Parked, 'format'>,
): Promise<void> {
  const { path, text, tmpPath } = fileFor(spool, folder, parked)
  await writeDurableAsync(path, text, tmpPath)
}

function fileFor(spool: Spool, folder: ParkFolder, parked: Omit<Parked, 'format'>) {
  const name = formatName({ id: parked.delivery.id, isDelivery: true })
  // Loaded on demand: it takes a tenth of a start, and most deliveries are never parked.
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const tmpPath = join(spool.tmp, `${randomBytes(8).toString('hex')}.json`)
  const text = JSON.stringify({ format: FORMAT, ...parked })
  return { path: join(spool[folder], name), text, tmpPath }
}

/** @returns undefined if the file is missing, cannot be read now, is damaged, foreign or not a delivery */
export function readParked(path: string): Parked | undefined {
  try {
    return readParkedOrThrow(path)
  } catch {
    return undefined
  }
}

/**
 * @returns undefined if the file is damaged, foreign or not a delivery
 * @throws an error if the file cannot be read now, or no longer exists
 */
export function readParkedOrThrow(path: string): Parked | undefined {
  const file = readSpoolFile(path)
  if ('foreign' in file) return undefined
  // Throws only if zod cannot be loaded, such as while the program is replaced: the file may be fine.
  return parkedSchema.safeParse(jsonOf(file.bytes)).data
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** Whether a newer hookbell wrote it. Such a delivery is left for that version. */
export function isParkedByLaterVersion(path: string): boolean {
  try {
    const file = readSpoolFile(path)
    const { format } = 'foreign' in file ? {} : Object(JSON.parse(file.bytes.toString()))
    return /^hookbell-delivery \d+$/.test(String(format)) && format !== FORMAT
  } catch {
    return false
  }
}

/** Ids of the events that a spool file concerns. */
export function eventsOf(path: string): readonly string[] {
  const parsed = parseName(basename(path))
  if (!parsed?.isDelivery) return parsed ? [parsed.id] : []
  return readParked(path)?.delivery.events ?? []
}
