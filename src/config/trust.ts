import { join } from 'node:path'
import { HookbellError } from '../errors.ts'
import { checkFolder } from '../fs/ownership.ts'

/** Folders that somebody else could change, each with the command that repairs it. */
export function foldersAtRisk(configDir: string, stateDir: string): HookbellError[] {
  return [
    faultOf(() => checkFolder(configDir)),
    faultOf(() => checkFolder(join(configDir, 'templates'))),
    faultOf(() => checkFolder(stateDir, 'E_SPOOL')),
  ].filter((fault) => fault !== undefined)
}

/** @throws HookbellError for the first of them */
export function refuseFoldersAtRisk(configDir: string, stateDir: string): void {
  const [fault] = foldersAtRisk(configDir, stateDir)
  if (fault) throw fault
}

function faultOf(check: () => void): HookbellError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    // A folder that cannot be looked at at all is named by whoever needs it.
    return error instanceof HookbellError ? error : undefined
  }
}
