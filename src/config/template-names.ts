import { join } from 'node:path'
import { listQuietly } from '../fs/read.ts'

/** The folder of the user's plain-text templates. Each template that a route can name has a file there. */
export function plainTemplates(configDir: string): string {
  return join(configDir, 'templates', 'plain')
}

/** The names of templates that a route can use; none if the folder is missing or cannot be read. */
export function templateNames(configDir: string): string[] {
  const files = listQuietly(plainTemplates(configDir)).filter((name) =>
    /^[\w-]+\.liquid$/.test(name),
  )
  return files.map((name) => name.slice(0, -'.liquid'.length)).sort()
}
