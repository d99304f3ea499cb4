import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describeError, HookbellError } from '../errors.ts'
import { isOutOfRoom, isOwnFolder, privateFolder } from '../fs/durable.ts'
import { refuseStranger } from '../fs/ownership.ts'
import { folders, type Spool, spoolIn } from './layout.ts'

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
    if (!isOutOfRoom(error)) throw error
  }
}

function makePrivate(path: string) {
  privateFolder(path)
  // The umask or an older tool may have given wider permissions.
  if (process.platform !== 'win32') chmodSync(path, 0o700)
}
