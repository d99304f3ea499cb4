import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { HookbellError } from '../errors.ts'
import { checkOwnership, modeOf } from '../fs/ownership.ts'
import { readRegular } from '../fs/read.ts'
import { quoteWord } from '../text/shell.ts'

/**
 * Reads `secrets.env` beside the config: NAME=value lines, `#` comments, optional quotes.
 * @throws HookbellError E_CONFIG when other users can read it, or nobody can
 */
export function readSecrets(configDir: string): Map<string, string> {
  const path = join(configDir, 'secrets.env')
  const secrets = new Map<string, string>()
  for (const line of readPrivate(path).split(/\r?\n/)) {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name) secrets.set(name, value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  return secrets
}

const MAX_BYTES = 256 * 1024

/** Of what a link points to: people keep such files elsewhere. */
function readPrivate(path: string): string {
  return readRegular(path, { maxBytes: MAX_BYTES, check: checkPrivate }) ?? ''
}

function checkPrivate(path: string, stat: Stats) {
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new HookbellError('E_CONFIG', `${path}: other users can read it (mode ${modeOf(stat)})`, {
      hint: `Run: chmod 600 ${quoteWord(path)}`,
    })
  }
  checkOwnership(path, stat)
}

/**
 * Replaces `${NAME}` in every string of a channel. The file wins over `env`: the variables that were
 * stored from the user's shell.
 * @returns the names that are set nowhere, and the values used, for redaction
 */
export function expandReferences(
  value: unknown,
  secrets: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): { value: unknown; missing: string[]; used: string[] } {
  const missing: string[] = []
  const used: string[] = []
  const expand = (item: unknown): unknown => {
    if (typeof item === 'string') {
      return item.replace(/\$\{([A-Za-z_]\w*)\}/g, (reference, name: string) => {
        const found = secrets.get(name) ?? (Object.hasOwn(env, name) ? env[name] : undefined)
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
