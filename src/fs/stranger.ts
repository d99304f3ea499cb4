import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The id of another user who owns a folder. If the folder is missing: undefined, but for root, who could make it inside a
 * folder of another user. That user could not use it, so then the owner of the nearest folder above counts.
 */
export function strangerOf(folder: string): number | undefined {
  const me = process.getuid?.()
  // Windows has no user ids.
  if (me === undefined) return undefined
  const owner = ownerOf(folder)
  const above = dirname(folder)
  if (owner === undefined && above !== folder && isRoot(me)) return strangerOf(above)
  return owner === me ? undefined : owner
}

/**
 * Whether this user is the real root. In a sandbox one may only be called root, and folders of the real root are
 * another user's.
 */
function isRoot(me: number): boolean {
  return me === 0 && ownerOf('/') === me
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}
