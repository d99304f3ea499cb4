import { readFileSync, statSync } from 'node:fs'
import { getNodeValue, parseTree } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'

/** Reads a settings file for callers that do not write it. A file that cannot be read counts as empty. */
export function readLeniently(path: string): Record<string, unknown> {
  try {
    if (!statSync(path).isFile()) return {}
    const text = readFileSync(path, 'utf8')
    if (path.endsWith('.toml')) return parseToml(text)
    const root = parseTree(text.replace(/^\uFEFF/, ' '))
    return root?.type === 'object' ? getNodeValue(root) : {}
  } catch {
    return {}
  }
}
