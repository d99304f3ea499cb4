import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { askedSchema, deliverySchema, messageSchema } from '../delivery.ts'
import { errorCode } from '../errors.ts'
import { renameFile, syncFolderAsync, writeDurableAsync, writeSynced } from '../fs/durable.ts'
import { isMissing } from '../fs/read.ts'
import { readSpoolFile } from './event-file.ts'
import { formatName, type Spool } from './layout.ts'

/** Codes of file systems that cannot give a file a second name. */
const NO_LINKS = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EACCES',
  'UNKNOWN',
])

/** The number changes when the format does. */
const FORMAT = 'hookbell-card 1'

export const openSchema = z.object({
  state: z
    .enum(['held', 'deferred', 'dead'])
    .describe('held by a rule; failed, and waits for its next attempt; or gave up'),
  since: z
    .number()
    .describe('When it was written, Unix ms: if the clock shows less, it was set back'),
  reason: z.string(),
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

export const shownSchema = z.object({
  state: z.literal('shown'),
  since: openSchema.shape.since,
  channel: z.string(),
  session: z.string(),
  event: z.string().describe('Id of the first event that it reports'),
  client: z.string(),
  sessionId: z.string(),
  kind: deliverySchema.shape.kind,
  at: z.number().describe('When that event was accepted, Unix ms'),
  knownAt: z
    .number()
    .optional()
    .describe('When the latest event of its session was accepted that was known when it was sent'),
  questions: z.array(askedSchema),
  tellsMore: z.boolean().optional().describe('Whether it tells of something besides questions'),
  asks: z.boolean().optional().describe('Whether it tells of a turn that asks something'),
  told: z
    .object({ events: z.array(z.string()), message: messageSchema })
    .optional()
    .describe('What it told, if its text can be replaced when only some questions are answered'),
  form: z
    .object({
      nonce: z.string(),
      sentAt: z.number().describe('Unix ms'),
      until: z.number().describe('Until when it can be answered there, Unix ms'),
      title: z.string(),
      text: z.string(),
      canAllow: z.boolean(),
      isOver: z.boolean().optional().describe('Whether its buttons were taken away'),
    })
    .optional()
    .describe('How it can be answered where it is shown'),
  left: z.array(z.string()).optional().describe('Ids of answered questions that it no longer has'),
  handle: z.string(),
  sessionEnv: z.record(z.string(), z.string()),
})

const cardSchema = z.object({
  format: z.literal(FORMAT),
  channels: z.record(z.string(), z.discriminatedUnion('state', [openSchema, shownSchema])),
})

/** A message that stays where it is shown until it is withdrawn or replaced. */
export type ShownState = z.output<typeof shownSchema>

/** What is open of one event on one channel: until when it waits or why it gave up, and the delivery itself. */
export type Open = z.output<typeof openSchema>

/** A message that a channel shows until it is withdrawn or replaced. */
export type Shown = Omit<ShownState, 'state' | 'since'>

/** What is open of one event, by channel; and what channels show of it, by `shownOn`. */
export type Card = ReadonlyMap<string, Open | ShownState>

/**
 * Where a card has what a channel shows, beside what is open on it: an attempt that failed may have arrived. No channel has
 * such a name.
 */
export function shownOn(channel: string): string {
  return `${channel}:shown`
}

/** Replaces a card. When this resolves, it survives a power cut. @throws the system error; the file is then unchanged */
export async function replaceCard(path: string, card: Card, { tmp }: Pick<Spool, 'tmp'>) {
  await writeDurableAsync(path, cardText(card), tmpPathIn(tmp))
}

/**
 * Writes a card of an event. Another worker may write one of the same event at the same time, so it overwrites none.
 * When this resolves, it survives a power cut. @returns its name @throws the system error; nothing is left behind then
 */
export async function addCard(
  folder: string,
  event: string,
  card: Card,
  { tmp }: Pick<Spool, 'tmp'>,
): Promise<string> {
  let path = tmpPathIn(tmp)
  await writeSynced(path, cardText(card))
  try {
    const name = placeCard(path, folder, { id: event })
    path = join(folder, name)
    await syncFolderAsync(folder)
    return name
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

/**
 * Moves a card into a folder. If its name is taken there, it gets the next number: an event may have several cards, of
 * different channels. @returns its name @throws the system error
 */
export function placeCard(
  from: string,
  folder: string,
  { id, crashes }: { id: string; crashes?: number | undefined },
): string {
  for (let number = crashes; ; number = (number ?? -1) + 1) {
    const name = formatName({ id, isCard: true }, number)
    if (moveToFree(from, join(folder, name))) return name
  }
}

/** @returns false if the name is taken */
function moveToFree(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    unlinkSync(from)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return isSameFile(from, to) && remove(from)
    // Some file systems have no links.
    if (!NO_LINKS.has(errorCode(error) ?? '')) throw error
    if (!isMissing(to)) return false
    renameFile(from, to)
    return true
  }
}

/** After a crash in `moveToFree`, the file has both names. */
function isSameFile(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false }))
  return left !== undefined && left.ino === right?.ino && left.dev === right.dev
}

function remove(path: string): true {
  unlinkSync(path)
  return true
}

export function cardText(card: Card): string {
  return JSON.stringify({ format: FORMAT, channels: Object.fromEntries(card) })
}

export function tmpPathIn(tmp: string): string {
  return join(tmp, `${randomBytes(8).toString('hex')}.json`)
}

/**
 * @returns undefined if the file is damaged, foreign or no card
 * @throws an error if the file cannot be read now, or no longer exists
 */
export function readCard(path: string): Card | undefined {
  const file = readSpoolFile(path)
  if ('foreign' in file) return undefined
  // Throws only if zod cannot be loaded, such as while the program is replaced: the file may be fine.
  const { data } = cardSchema.safeParse(jsonOf(file.bytes))
  return data && new Map(Object.entries(data.channels))
}

/** The same; undefined if the file cannot be read now either. */
export function readCardQuietly(path: string): Card | undefined {
  try {
    return readCard(path)
  } catch {
    return undefined
  }
}

/** Whether a newer hookbell wrote it. Such a card is left for that version. */
export function isOfLaterFormat(path: string): boolean {
  try {
    const file = readSpoolFile(path)
    const { format } = Object('foreign' in file ? undefined : jsonOf(file.bytes))
    return /^hookbell-card \d+$/.test(String(format)) && format !== FORMAT
  } catch {
    return false
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
