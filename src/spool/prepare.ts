import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { HookbellError } from '../errors.ts'
import { isOwnFolder, privateFolder } from '../fs/durable.ts'
import { folders, type Spool, spoolIn } from './layout.ts'

/**
 * Makes the folders of a spool, for this user only. What stands in the place of one (a file, a link, a folder of
 * somebody else) is set aside, so that the other folders go on.
 * @throws HookbellError E_SPOOL where the spool itself is a link, belongs to somebody else or cannot be made
 */
export function prepareSpool(state: string): Spool {
  const spool = spoolIn(state)
  try {
    makePrivate(join(state, 'spool'))
    // The place for what is set aside comes first.
    for (const folder of ['corrupt', ...folders] as const) makeInPlace(spool, folder)
  } catch (error) {
    throw new HookbellError('E_SPOOL', `spool: ${(error as Error).message}`, {
      hint: `Check the folder ${state}, or set HOOKBELL_STATE_DIR to another one`,
      cause: error,
    })
  }
  return spool
}

function makeInPlace(spool: Spool, folder: (typeof folders)[number]) {
  const path = spool[folder]
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat || isOwnFolder(stat)) return makePrivate(path)
  // First beside it: a folder of somebody else cannot be moved into another one.
  const aside = `${path}.${Date.now()}`
  renameSync(path, aside)
  makePrivate(path)
  try {
    renameSync(aside, join(spool.corrupt, `${Date.now()}-${folder}`))
  } catch {
    // It stays beside it.
  }
}

function makePrivate(path: string) {
  privateFolder(path)
  // Also where the umask or an older tool had made it wider.
  if (process.platform !== 'win32') chmodSync(path, 0o700)
}
