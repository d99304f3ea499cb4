import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with package.json, templates/ and dist/; the same from source, from dist/ and from an installed copy. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'templates')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return folder
}

/** Of the code that runs, which may be an older copy than the package that is installed. */
export function packageVersion(): string {
  try {
    return String(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version)
  } catch {
    return '-'
  }
}
