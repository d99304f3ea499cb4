import type { HookbellError } from '../errors.ts'
import { folderFault } from '../fs/ownership.ts'
import { folders, spoolIn } from './layout.ts'

/** Folders of the spool that somebody else could change, each with the command that repairs it. The others go on. */
export function spoolAtRisk(stateDir: string): HookbellError[] {
  const spool = spoolIn(stateDir)
  return folders
    .map((folder) => folderFault(spool[folder], 'E_SPOOL'))
    .filter((fault) => fault !== undefined)
}
