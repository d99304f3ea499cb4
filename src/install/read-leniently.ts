import { getNodeValue, parseTree } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { readQuietly } from '../fs/read.ts'
import { MAX_SETTINGS_BYTES } from './file.ts'

/** Reads a settings file for callers that do not write it. A file that cannot be read counts as empty. */
export function readLeniently(path: string): Record<string, unknown> {
  try {
    const text = readQuietly(path, MAX_SETTINGS_BYTES) ?? ''
    if (path.endsWith('.toml')) return parseToml(text)
    const root = parseTree(text)
    return root?.type === 'object' ? getNodeValue(root) : {}
  } catch {
    return {}
  }
}
