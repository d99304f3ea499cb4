import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pinnedPath } from '../config/pinned.ts'

/**
 * The state folder that a private copy of the front door belongs to: it lies in `<state>/runtime/dist`, with what
 * `init` pinned beside it. The environment of a session has no say there.
 */
export function installedFor(folder: string): string | undefined {
  const runtime = dirname(folder)
  if (basename(folder) !== 'dist' || basename(runtime) !== 'runtime') return undefined
  const state = dirname(runtime)
  return existsSync(pinnedPath(state)) ? state : undefined
}
