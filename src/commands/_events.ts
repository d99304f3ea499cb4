import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../config/paths.ts'
import { fallbackFolders, pinnedPath } from '../config/pinned.ts'
import { errorCode, usageError } from '../errors.ts'
import { isOwnFolder } from '../fs/durable.ts'
import { runtimeDir } from '../fs/home.ts'
import { distinctFolders } from '../fs/links.ts'
import { refuseUnreadable } from '../fs/ownership.ts'
import { CANARY_EVENT, type JournalEntry } from '../journal/entry.ts'
import { Fold, LATEST, type LastOnChannel, noCounts, Outcomes } from '../journal/fold.ts'
import {
  type EventStatus,
  emptyStatus,
  hasDead,
  isAccepted,
  type Outcome,
  outcomes,
} from '../journal/history.ts'
import { readBack, readJournal, readWhole } from '../journal/read.ts'
import { eventFolders, isInUse, parseName, spoolIn } from '../spool/layout.ts'

/**
 * The state folder, and those of the front door's fallback folders that were ever used.
 * @throws HookbellError for a state folder that this user cannot read
 */
export function stateFolders(): string[] {
  refuseUnreadable(stateDir(), 'E_SPOOL')
  return allStateFolders()
}

/** The same for commands that also work if these folders cannot be read. */
export function allStateFolders(): string[] {
  const state = stateDir()
  if (!mayHaveFallback(state)) return [state]
  return distinctFolders([state, ...fallbackFolders(state).filter(isOwnFallback)])
}

/** The front door stores nothing in one of another user, nor through a link. */
function isOwnFallback(folder: string): boolean {
  const found = isInUse(folder) ? lstatSync(folder, { throwIfNoEntry: false }) : undefined
  return found !== undefined && isOwnFolder(found)
}

/** A cheap check first: computing the fallback folder's name costs a tenth of a start, and most users have none. */
function mayHaveFallback(state: string): boolean {
  if (process.env.HOOKBELL_FALLBACK_DIR || existsSync(pinnedPath(state))) return true
  try {
    return readdirSync(runtimeDir()).some((name) => name.startsWith('hookbell'))
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}

/** What became of the events of some state folders. */
export interface Events {
  count: Readonly<Record<Outcome, number>>
  /** How many have something in dead/, whatever their outcome is: another channel may still wait. */
  withDead: number
  /** Those that are open, undelivered or dead, and the latest others, without their texts; oldest first. */
  known: readonly EventStatus[]
  /** Whether there are no others. */
  isComplete: boolean
  /** By channel name. */
  channels: ReadonlyMap<string, LastOnChannel>
}

/** Reads the checkpoints, what the journals have gained since, and what only the spools know. */
export function readEvents(folders: readonly string[], onUnreadable?: OnUnreadable): Events {
  const folds = folders.map((folder) => {
    const { outcomes: found } = outcomesOf(folder)
    const byId: Map<string, EventStatus> = new Map(found.events)
    addFromSpool(byId, folder, onUnreadable)
    return { known: [...byId.values()], counted: found.counted, channels: found.channels }
  })
  const known = inOrder(folds.flatMap((one) => one.known))
  const count = noCounts()
  for (const { outcome } of known) count[outcome] += 1
  for (const outcome of outcomes)
    for (const { counted } of folds) count[outcome] += counted[outcome]
  const lasts = folds.flatMap(({ channels }) => [...channels])
  return {
    count,
    withDead: known.filter(hasDead).length,
    known,
    isComplete: known.length === outcomes.reduce((sum, outcome) => sum + count[outcome], 0),
    // For equal names, the Map keeps the last one.
    channels: new Map(lasts.sort(([, one], [, other]) => one.acceptedAt - other.acceptedAt)),
  }
}

function outcomesOf(folder: string) {
  return new Fold(folder, (saved) => ({ outcomes: new Outcomes(saved.outcomes) })).now()
}

/** Known events with their texts. The journals are read backwards until they have been found. */
export function inFull(folders: readonly string[], chosen: readonly EventStatus[]): EventStatus[] {
  const accepted = chosen.filter(isAccepted)
  const found = folders.map((folder) => {
    // What another folder's journal has would be sought in all of this one.
    const { events } = folders.length > 1 ? outcomesOf(folder).outcomes : { events: undefined }
    return readBack(folder, events ? accepted.filter(({ id }) => events.has(id)) : accepted).byId
  })
  return chosen.map((event) => {
    const full = found.map((byId) => byId.get(event.id)).find((one) => one !== undefined)
    return { ...(full ?? event), outcome: event.outcome }
  })
}

/** All events with their texts, oldest first, or those whose id is meant. Reads whole journals. */
export function allInFull(
  folders: readonly string[],
  isMeant: (id: string) => boolean = () => true,
): EventStatus[] {
  const all = folders.flatMap((folder) => {
    const { byId } = readWhole(folder, isMeant)
    addFromSpool(byId, folder)
    return [...byId.values()].filter(({ id }) => isMeant(id))
  })
  return inOrder(all)
}

/** The latest ones with their texts, oldest first. */
export function latestInFull(folders: readonly string[], limit: number): EventStatus[] {
  const { known, isComplete } = readEvents(folders)
  return isComplete || limit <= LATEST
    ? inFull(folders, known.slice(-limit))
    : allInFull(folders).slice(-limit)
}

function inOrder(events: EventStatus[]): EventStatus[] {
  return events.sort((one, other) => one.acceptedAt - other.acceptedAt)
}

/** Called with a folder that cannot be read, and why. It throws if the command must end. */
export type OnUnreadable = (folder: string, error: unknown) => void

export function list(folder: string, onUnreadable: OnUnreadable = rethrow): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // ENOTDIR is a foreign file, which the worker moves aside.
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) onUnreadable(folder, error)
    return []
  }
}

function rethrow(_: string, error: unknown) {
  throw error
}

/** Adds the events in the spool that the journal lacks, and marks those that are dead there. */
function addFromSpool(byId: Map<string, EventStatus>, state: string, onUnreadable?: OnUnreadable) {
  const spool = spoolIn(state)
  const listed = (folder: string) =>
    list(folder, onUnreadable).flatMap((name) => {
      const parsed = parseName(name)
      return parsed ? [{ ...parsed, path: join(folder, name) }] : []
    })
  const add = ({ id, path }: { id: string; path: string }) => {
    const event = byId.get(id) ?? emptyStatus(id, writtenAt(path))
    byId.set(id, event)
    return event
  }
  for (const folder of eventFolders(spool, (one) => list(one, onUnreadable))) {
    for (const file of listed(folder)) if (!file.isCard) add(file)
  }
  // The journal may be lost, or an event `retried` there and still dead on disk: the retry crashed between the two.
  for (const file of listed(spool.dead)) {
    const event = add(file)
    if (!hasDead(event)) byId.set(file.id, { ...event, outcome: 'dead' })
  }
}

/** When the file was last written, Unix ms: for an event the time of acceptance, for a delivery the time it gave up. */
function writtenAt(path: string): number {
  return Math.floor(lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
}

/** What a person may ask about: neither a prompt or the like that went nowhere, nor a test event of `doctor`. */
export function isOfInterest({ event, kind, outcome }: EventStatus): boolean {
  return event !== CANARY_EVENT && (kind !== 'other' || outcome !== 'suppressed')
}

/** The events whose id starts with `word`. For `last`, the latest of those that count. */
export function findEvents(
  folders: readonly string[],
  word: string,
  counts: (status: EventStatus) => boolean = isOfInterest,
): EventStatus[] {
  if (word !== 'last') return allInFull(folders, (id) => id.startsWith(word))
  const { known } = readEvents(folders)
  // Where nothing else happened, a prompt is better than nothing.
  const last = known.findLast(counts) ?? known.findLast(({ event }) => event !== CANARY_EVENT)
  return last ? inFull(folders, [last]) : []
}

/** @throws usageError unless it is exactly one event */
export function findEvent(
  command: string,
  folders: readonly string[],
  word: string,
  counts?: (status: EventStatus) => boolean,
): EventStatus {
  const found = findEvents(folders, word, counts)
  const [only] = found
  if (only && found.length === 1) return only
  if (word === 'last') {
    const hint = 'hookbell status shows whether hookbell is registered'
    throw usageError(`${command}: no events yet`, hint)
  }
  const what = only ? `${found.length} events` : 'no event'
  const message = `${command}: ${what} with an id that starts with "${word}"`
  throw usageError(message, 'hookbell log --json shows the ids')
}

const { event: UNKNOWN } = emptyStatus('', 0)

/** What an event is called in a list. Nothing is known of one that no worker has claimed yet. */
export function eventTitle({
  title,
  event,
  outcome,
}: Pick<EventStatus, 'title' | 'event' | 'outcome'>): string {
  return title || (event === UNKNOWN && outcome === 'waiting' ? 'not read yet' : event)
}

/** All entries in the journals of some state folders, oldest first. */
export async function readEntries(folders: readonly string[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (const folder of folders) {
    for await (const entry of readJournal(folder)) entries.push(entry)
  }
  if (folders.length > 1) entries.sort((one, other) => one.at - other.at)
  return entries
}
