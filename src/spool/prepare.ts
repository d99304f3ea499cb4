import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { HookbellError } from '../errors.ts'
import { privateFolder } from '../fs/durable.ts'
import { folders, type Spool, spoolIn } from './layout.ts'

/**
 * Makes the folders of a spool, for this user only.
 * @throws HookbellError E_SPOOL where a folder is a link, belongs to somebody else or cannot be made
 */
export function prepareSpool(state: string): Spool {
  const spool = spoolIn(state)
  try {
    for (const path of [join(state, 'spool'), ...folders.map((folder) => spool[folder])]) {
      privateFolder(path)
      // Also where the umask or an older tool had made it wider.
      if (process.platform !== 'win32') chmodSync(path, 0o700)
    }
  } catch (error) {
    throw new HookbellError('E_SPOOL', `spool: ${(error as Error).message}`, {
      hint: `Check the folder ${state}, or set HOOKBELL_STATE_DIR to another one`,
      cause: error,
    })
  }
  return spool
}
