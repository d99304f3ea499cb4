// The spool, folder by folder. One rename moves an event on; nothing is ever copied or edited in place.
//
// | folder         | means                           | leaves by                        | after a crash here     |
// | -------------- | ------------------------------- | -------------------------------- | ---------------------- |
// | tmp/           | being written, nobody reads it  | rename to new/ (= accepted)      | new/ if whole, or swept|
// | new/           | accepted events                 | rename to cur/<owner>/ (claim)   | nothing to do          |
// | cur/<owner>/   | claimed by a worker             | all is settled or on a card      | owner dead: back       |
// | cards/         | what is open of an event, per   | its time comes: cur/<owner>/     | nothing to do          |
// |                | channel, and what is shown      |                                  |                        |
// | dead/          | cards of what gave up, events   | `hookbell dead retry` or `drop`, | nothing to do          |
// |                | that cannot be handled          | size cap                         |                        |
// | requests/      | what a worker is asked for      | done, or taken back              | nothing to do          |
// | answers/       | pipes of hooks that wait for an | answered, or the hook is gone    | the next worker removes|
// |                | answer, and their events        |                                  | what is left           |
// | corrupt/       | damaged or foreign objects      | by a person, size cap            | nothing to do          |
// | spare/         | a cur/ in reserve, with one     | rename to cur/, and its folder   | the next worker makes  |
// |                | folder for a worker: a full     | to cur/<owner>/                  | what is missing        |
// |                | disk allows no new folder       |                                  |                        |
import { chmodSync, existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { join, sep } from 'node:path'
import { describeError, errorCode, HookbellError } from '../errors.ts'
import { isOutOfSpace, isOwnFolder, privateFolder, renameFile } from '../fs/durable.ts'
import { isTrusted, refuseStranger } from '../fs/ownership.ts'
import { listQuietly } from '../fs/read.ts'

export const folders = [
  'tmp',
  'new',
  'cur',
  'cards',
  'dead',
  'requests',
  'answers',
  'corrupt',
] as const
export type Folder = (typeof folders)[number]

/** First line of a spool file; the number changes when the format does. */
export const FORMAT_LINE = 'hookbell-event 1'

/** Bytes of an event that are kept; the rest is cut off. bin/hookbell-hook stores at least as much. */
export const MAX_BODY_BYTES = 1024 * 1024

/** No writer lives longer than seconds, so a sweeper can never race one. */
export const SWEEP_TMP_AFTER_MS = 36 * 3600 * 1000

export type Spool = Record<Folder, string> & {
  /** The state folder around the spool: journal, lock, front door. */
  state: string
}

export function spoolIn(state: string): Spool {
  const spool = join(state, 'spool')
  const entries = folders.map((folder) => [folder, `${spool}${sep}${folder}`] as const)
  return { state, ...(Object.fromEntries(entries) as Record<Folder, string>) }
}

/** Whether events were ever stored under this state folder, by this user. */
export function isInUse(state: string): boolean {
  return isTrusted(state) && existsSync(join(state, 'spool', 'new'))
}

/** Whether something in this state folder still has to be dealt with, by a worker or by a person. */
export function holdsEvents(state: string): boolean {
  const spool = spoolIn(state)
  const { tmp, cards, dead, corrupt } = spool
  return [tmp, cards, dead, corrupt, ...eventFolders(spool)].some(isFilled)
}

/** The folders with accepted events: those that wait, and those that each worker has claimed. */
export function eventFolders({ new: waiting, cur }: Spool, list = listQuietly): string[] {
  return [waiting, ...list(cur).map((owner) => join(cur, owner))]
}

export function isFilled(folder: string): boolean {
  return listQuietly(folder).length > 0
}

/**
 * Creates the folders of a spool, for this user only. Anything else in the place of one (a file, a link, a folder of
 * another user) is set aside, so that the other folders still work.
 * @throws HookbellError E_SPOOL where the spool itself is a link, belongs to somebody else or cannot be made
 */
export function prepareSpool(state: string): Spool {
  const spool = spoolIn(state)
  try {
    // Root could make the folders, but then the owner of the state folder could not use them.
    refuseStranger(state, 'E_SPOOL')
    makePrivate(join(state, 'spool'))
    // corrupt/ comes first, because other objects are moved into it.
    for (const folder of ['corrupt', ...folders] as const) makeInPlace(spool, folder)
  } catch (error) {
    throw new HookbellError('E_SPOOL', `spool: ${describeError(error)}`, {
      hint:
        (error instanceof HookbellError ? error.hint : undefined) ??
        `Check the folder ${state}, or set HOOKBELL_STATE_DIR to another one`,
      cause: error,
    })
  }
  return spool
}

function makeInPlace(spool: Spool, folder: (typeof folders)[number]) {
  const path = spool[folder]
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat || isOwnFolder(stat)) return makeIfRoom(path)
  // Renamed in place first: a folder of another user cannot be moved into another folder.
  const aside = `${path}.${Date.now()}`
  renameSync(path, aside)
  makeIfRoom(path)
  try {
    renameSync(aside, join(spool.corrupt, `${Date.now()}-${folder}`))
  } catch {
    // It stays beside the new folder.
  }
}

/**
 * A full disk may allow no new folder: whatever does not need it goes on. The worker tries to make it again once a
 * minute.
 */
function makeIfRoom(path: string) {
  try {
    makePrivate(path)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
  }
}

function makePrivate(path: string) {
  privateFolder(path)
  // The umask or an older tool may have given wider permissions.
  if (process.platform !== 'win32') chmodSync(path, 0o700)
}

let lastAt = 0

const MAX_EVENT_ID = 128

export interface ParsedName {
  /** Id of the event. */
  id: string
  /** How many workers crashed while they held it. */
  crashes: number
  /** What is open of the event, as JSON; otherwise the event as it was accepted. */
  isCard: boolean
}

/** A file name is the id, with `~n` once a worker has had the file: n counts the workers that crashed with it. */
export function parseName(name: string): ParsedName | undefined {
  const [, id, crashes = '0', suffix] =
    /^([A-Za-z0-9][A-Za-z0-9._-]*?)(?:~(\d{1,4}))?(\.json)?$/.exec(name) ?? []
  if (!id || id.length > MAX_EVENT_ID) return undefined
  return { id, crashes: Number(crashes), isCard: suffix !== undefined }
}

/** The inverse of `parseName`. Without `crashes`, no worker has had the file. */
export function formatName({ id, isCard }: Omit<ParsedName, 'crashes'>, crashes?: number): string {
  return `${id}${crashes === undefined ? '' : `~${crashes}`}${isCard ? '.json' : ''}`
}

/** Whether a worker has had the file before. */
export function wasClaimed(name: string): boolean {
  return name.includes('~')
}

/** Whether the name is not valid UTF-8. Node.js lists such a file, but cannot open it by the listed name. */
export function isUnreadable(name: string): boolean {
  return name.includes('\ufffd')
}

/** Moves files whose names are not valid UTF-8 to corrupt/. */
export function setUnreadableAside(folder: string, spool: Spool, now: number) {
  let count = 0
  for (const name of readdirSync(folder, 'buffer')) {
    if (!isUnreadable(name.toString())) continue
    count += 1
    const from = Buffer.concat([Buffer.from(join(folder, '/')), name])
    renameSync(from, join(spool.corrupt, `${now}-${count}-${name.toString('hex').slice(0, 100)}`))
  }
}

/** Moves a damaged or foreign object to corrupt/. A name that the time makes too long is shortened. */
export function setAside(path: string, name: string, spool: Spool, now: number) {
  try {
    renameFile(path, join(spool.corrupt, `${now}-${name}`))
  } catch (error) {
    if (errorCode(error) !== 'ENAMETOOLONG') throw error
    renameFile(
      path,
      join(spool.corrupt, `${now}-${Buffer.from(name).toString('hex').slice(0, 100)}`),
    )
  }
}

/**
 * A unique event id, greater than earlier ones of this process. It is not a secret, so Math.random will do: loading
 * node:crypto would cost the agent 4 ms.
 */
export function newId(): string {
  lastAt = Math.max(Date.now(), lastAt + 1)
  const random = () => Math.random().toString(36).slice(2, 13).padEnd(11, '0')
  return `${lastAt.toString(36)}-${process.pid}-${random()}${random()}`
}
