import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './package-root.ts'

// Inserted by scripts/build.ts, so that no program has to look for package.json.
declare const BUILT_VERSION: string | undefined

/** The version of this package. */
export function packageVersion(): string {
  if (typeof BUILT_VERSION === 'string') return BUILT_VERSION
  return String(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version)
}
