import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../config/paths.ts'
import { fallbackFolders, pinnedPath } from '../config/pinned.ts'
import { errorCode } from '../errors.ts'
import { isOwnFolder } from '../fs/durable.ts'
import { runtimeDir } from '../fs/home.ts'
import { distinctFolders } from '../fs/links.ts'
import { refuseUnreadable } from '../fs/ownership.ts'
import { type EventStatus, emptyStatus } from '../journal/history.ts'
import { OpenJournal } from '../journal/open.ts'
import { Tallies } from '../journal/tallies.ts'
import type { TalliedEvent, Tally } from '../journal/tally.ts'
import { eventFolders, isInUse, spoolIn } from '../spool/layout.ts'
import { parseName } from '../spool/names.ts'

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

/** An event without its texts. */
export type EventOutline = TalliedEvent

export interface Events {
  /** All known events, oldest first: those in the journal, and those that no worker has seen yet. Slow for many. */
  readonly all: EventOutline[]
  /** Counts and lookups over the same events, without visiting each. */
  tallies: Tallies
  inFull(chosen: readonly EventOutline[]): EventStatus[]
}

/** Opens the journals of some state folders, calls `work` with their events, and closes them again. */
export function withEvents<Result>(
  folders: readonly string[],
  work: (events: Events) => Result,
  onUnreadable?: OnUnreadable,
): Result {
  const journals: OpenJournal[] = []
  try {
    for (const folder of folders) journals.push(new OpenJournal(folder))
    const tallies = journals.map((journal, index) =>
      tallyOf(journal, folders[index] ?? '', onUnreadable),
    )
    const joined = new Tallies(tallies)
    return work({
      get all() {
        return joined.all()
      },
      tallies: joined,
      inFull: (chosen) => readInFull(journals, chosen),
    })
  } finally {
    for (const journal of journals) journal.close()
  }
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

/** The tally of the journal, and the events in the spool that the journal lacks. */
function tallyOf(journal: OpenJournal, state: string, onUnreadable?: OnUnreadable): Tally {
  const tally = journal.tally()
  const spool = spoolIn(state)
  const listed = (folder: string) => list(folder, onUnreadable)
  for (const folder of eventFolders(spool, listed)) {
    for (const name of listed(folder)) {
      const parsed = parseName(name)
      if (!parsed || parsed.isCard || tally.has(parsed.id)) continue
      tally.expect(parsed.id, writtenAt(join(folder, name)))
    }
  }
  // The journal may be lost, or an event `retried` there and still dead on disk: the retry crashed between the two.
  for (const name of listed(spool.dead)) {
    const parsed = parseName(name)
    if (!parsed) continue
    const { id } = parsed
    if (!tally.has(id)) tally.expect(id, writtenAt(join(spool.dead, name)))
    tally.markDead(id)
  }
  return tally
}

/** When the file was last written, Unix ms: for an event the time of acceptance, for a delivery the time it gave up. */
function writtenAt(path: string): number {
  return Math.floor(lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
}

function readInFull(
  journals: readonly OpenJournal[],
  chosen: readonly EventOutline[],
): EventStatus[] {
  const ids = new Set(chosen.map(({ id }) => id))
  const histories = ids.size > 0 ? journals.map((journal) => journal.read(ids)) : []
  return chosen.map(({ id, acceptedAt, outcome }) => {
    const known = histories.map(({ byId }) => byId.get(id)).find((status) => status !== undefined)
    return { ...(known ?? emptyStatus(id, acceptedAt)), outcome }
  })
}
