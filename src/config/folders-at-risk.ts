import { join } from 'node:path'
import type { HookbellError } from '../errors.ts'
import { folderFault } from '../fs/ownership.ts'

/** Folders that another user could change, each as an error with the command that fixes it. */
export function foldersAtRisk(configDir: string, stateDir: string): HookbellError[] {
  return [
    folderFault(configDir),
    folderFault(join(configDir, 'templates')),
    folderFault(stateDir, 'E_SPOOL'),
  ].filter((fault) => fault !== undefined)
}

/** @throws HookbellError for the first of them */
export function refuseFoldersAtRisk(configDir: string, stateDir: string): void {
  const [fault] = foldersAtRisk(configDir, stateDir)
  if (fault) throw fault
}
