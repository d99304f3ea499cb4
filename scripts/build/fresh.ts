import { existsSync, readdirSync, statSync } from 'node:fs'

/** The file that the build writes last. */
const stamp = 'dist/types/index.d.ts'
const sources = ['src', 'scripts', 'package-lock.json']

/** Whether nothing has changed since the last build. */
export function isFresh(): boolean {
  if (!existsSync(stamp)) return false
  const builtAt = statSync(stamp).mtimeMs
  return sources.every((path) => newest(path) <= builtAt)
}

function newest(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(`${path}/${name}`)))
}
