import { realpathSync } from 'node:fs'
import { fallbackFolders } from '../config/pinned.ts'
import { isTrusted } from '../fs/trust.ts'
import { holdsEvents } from '../spool/layout.ts'

/**
 * The state folder, and those that the front door falls back to while something waits in them. Each is served once,
 * also where two names mean the same folder, and none that another user owns or may write.
 */
export function servedFolders(stateDir: string, env = process.env): string[] {
  const fallbacks = fallbackFolders(stateDir, env).filter(holdsEvents)
  const served = new Map<string, string>()
  for (const folder of [stateDir, ...fallbacks].filter(isTrusted)) {
    const real = realpathSync(folder)
    if (!served.has(real)) served.set(real, folder)
  }
  return [...served.values()]
}
