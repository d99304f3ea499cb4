import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where the plain texts of the user's templates are: what a route can name has one there. */
export function plainTemplates(configDir: string): string {
  return join(configDir, 'templates', 'plain')
}

/** The names that a route can say; none where there is no such folder, or none that can be read. */
export function templateNames(configDir: string): string[] {
  try {
    const files = readdirSync(plainTemplates(configDir)).filter((name) =>
      /^[\w-]+\.liquid$/.test(name),
    )
    return files.map((name) => name.slice(0, -'.liquid'.length)).sort()
  } catch {
    return []
  }
}
