import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** While this file exists, nothing is sent; events are accepted and wait. */
export function holdPath(stateDir: string): string {
  return join(stateDir, 'on-hold')
}

export function isOnHold(stateDir: string): boolean {
  return existsSync(holdPath(stateDir))
}
