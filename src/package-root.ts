import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

let found: string | undefined

/** The folder with package.json, templates/ and dist/. Works from source, from dist/ and from an installed copy. */
export function packageRoot(): string {
  found ??= findRoot()
  return found
}

function findRoot(): string {
  let folder = dirname(import.meta.filename)
  while (!existsSync(join(folder, 'templates')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return folder
}

/** The version of the running code, which may be an older copy than the installed package; `-` if unknown. */
export function packageVersion(): string {
  try {
    return String(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version)
  } catch {
    return '-'
  }
}
