import type { Stats } from 'node:fs'
import { HookbellError } from '../../errors.ts'
import { checkFolder, checkOwnership, modeOf } from '../../fs/ownership.ts'
import { readRegular } from '../../fs/read.ts'
import { quoteWord } from '../../text/shell.ts'
import { secretsPath } from '../paths.ts'

/** What `secrets.env` holds. */
export interface SecretsFile {
  values: Map<string, string>
  /** Numbers of lines that set nothing, from 1. Only the numbers, because the text may be a secret. */
  junk: readonly number[]
}

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/

/**
 * Reads `secrets.env` beside the config: NAME=value lines, `#` comments, also after a value, and optional quotes.
 * @throws HookbellError E_CONFIG if other users can read it, or if it cannot be read
 */
export function readSecrets(configDir: string): SecretsFile {
  const path = secretsPath(configDir)
  return parseSecrets(readRegular(path, { maxBytes: MAX_BYTES, check: checkPrivate }) ?? '')
}

/**
 * The values in `secrets.env` to keep out of texts. Also those of a file that others can read, although no channel uses
 * them: they are secrets all the same. Never throws.
 */
export function valuesToRedact(configDir: string): string[] {
  try {
    // In a folder of another user it may be a link to any file of this one.
    checkFolder(configDir)
    const path = secretsPath(configDir)
    const text = readRegular(path, { maxBytes: MAX_BYTES, check: checkOwnership }) ?? ''
    return [...parseSecrets(text).values.values()]
  } catch {
    return []
  }
}

export function parseSecrets(text: string): SecretsFile {
  const values = new Map<string, string>()
  const junk: number[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const name = nameIn(line)
    if (name) setValue(values, name, valueIn(line))
    else if (!/^\s*(#|$)/.test(line)) junk.push(index + 1)
  }
  return { values, junk }
}

/** The name that a line sets; undefined for comments and for lines that set nothing. */
export function nameIn(line: string): string | undefined {
  return ASSIGNMENT.exec(line)?.[1]
}

/** An empty value counts as not set, so that the secret can come from elsewhere. */
function setValue(values: Map<string, string>, name: string, value: string) {
  if (value === '') values.delete(name)
  else values.set(name, value)
}

/** As a shell reads it: without its quotes, and without a comment after a space. */
function valueIn(line: string): string {
  const text = ASSIGNMENT.exec(line)?.[2] ?? ''
  const quoted = /^(["'])(.*)\1$/.exec(text) ?? /^(["'])((?:(?!\1).)*)\1\s+#/.exec(text)
  return quoted?.[2] ?? text.replace(/\s+#.*$/, '')
}

export const MAX_BYTES = 256 * 1024

/** @param stat that of a link's target: people keep such files elsewhere */
export function checkPrivate(path: string, stat: Stats) {
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new HookbellError('E_CONFIG', `${path}: other users can read it (mode ${modeOf(stat)})`, {
      hint: `Run: chmod 600 ${quoteWord(path)}`,
    })
  }
  checkOwnership(path, stat)
}

/** The names in a text that refers to secrets; none for any other value. */
export function referencesIn(value: unknown): string[] {
  if (typeof value !== 'string') return []
  return [...value.matchAll(REFERENCE)].map(([, name = '']) => name)
}

/** The same for every text within a value. */
export function referencesWithin(value: unknown): string[] {
  return referencesIn(JSON.stringify(value))
}

/**
 * Replaces `${NAME}` in every string of a channel.
 * @returns the names that are set nowhere, and the values used, for redaction
 */
export function expandReferences(
  value: unknown,
  find: (name: string) => string | undefined,
): { value: unknown; missing: string[]; used: string[] } {
  const missing: string[] = []
  const used: string[] = []
  const expand = (item: unknown): unknown => {
    if (typeof item === 'string') {
      return item.replace(REFERENCE, (reference, name: string) => {
        const found = find(name)
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
