import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * A path that may begin with `~/`, in full.
 * @returns undefined for one that is relative, also because there is no home directory
 */
export function expandHome(path: string): string | undefined {
  const expanded = /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path
  return isAbsolute(expanded) ? expanded : undefined
}
