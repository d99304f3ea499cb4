import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Expands a path that may begin with `~/`.
 * @returns undefined if the result is relative, also because there is no home directory
 */
export function expandHome(path: string): string | undefined {
  const expanded = /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path
  return isAbsolute(expanded) ? expanded : undefined
}
