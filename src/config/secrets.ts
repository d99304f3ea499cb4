import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HookbellError } from '../errors.ts'

/**
 * Reads `secrets.env` beside the config: NAME=value lines, `#` comments, optional quotes.
 * @throws HookbellError E_CONFIG when other users can read it
 */
export function readSecrets(configDir: string): Record<string, string> {
  const path = join(configDir, 'secrets.env')
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return {}
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new HookbellError('E_CONFIG', `${path}: other users can read it`, {
      hint: `Run: chmod 600 '${path}'`,
    })
  }
  const secrets: Record<string, string> = {}
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name) secrets[name] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  return secrets
}

/**
 * Replaces `${NAME}` in every string of a channel. The file wins over the environment: a repository can set
 * variables for its agent, and must not redirect messages that way.
 * @returns the names that are set nowhere, and the values used, for redaction
 */
export function expandReferences(
  value: unknown,
  secrets: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): { value: unknown; missing: string[]; used: string[] } {
  const missing: string[] = []
  const used: string[] = []
  const expand = (item: unknown): unknown => {
    if (typeof item === 'string') {
      return item.replace(/\$\{([A-Za-z_]\w*)\}/g, (reference, name: string) => {
        const found = secrets[name] ?? env[name]
        if (found) used.push(found)
        else missing.push(name)
        return found || reference
      })
    }
    if (Array.isArray(item)) return item.map(expand)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, expand(inner)]))
  }
  return { value: expand(value), missing, used }
}
