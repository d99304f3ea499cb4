import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pinnedPath } from '../config/pinned.ts'

/**
 * The state folder that an installed copy of the front door belongs to. The copy is in `<state>/runtime/dist`, beside
 * the paths that `init` pinned; the environment of a session cannot change them. Undefined for any other copy.
 */
export function installedFor(folder: string): string | undefined {
  const runtime = dirname(folder)
  if (basename(folder) !== 'dist' || basename(runtime) !== 'runtime') return undefined
  const state = dirname(runtime)
  return existsSync(pinnedPath(state)) ? state : undefined
}
