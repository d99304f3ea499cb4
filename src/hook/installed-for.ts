import { basename, dirname } from 'node:path'
import { readPinned } from '../config/pinned.ts'

/**
 * The state folder that a private copy of the front door belongs to: it lies in `<state>/runtime/dist`, with what
 * `init` pinned beside it. The environment of a session has no say there.
 */
export function installedFor(folder: string): string | undefined {
  const runtime = dirname(folder)
  if (basename(folder) !== 'dist' || basename(runtime) !== 'runtime') return undefined
  return readPinned(dirname(runtime)) && dirname(runtime)
}
