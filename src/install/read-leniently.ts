import { readFileSync, statSync } from 'node:fs'
import { getNodeValue, parseTree } from 'jsonc-parser'

/** Reads a settings file for callers that do not write it. A file that cannot be read counts as empty. */
export function readLeniently(path: string): Record<string, unknown> {
  try {
    if (!statSync(path).isFile()) return {}
    const root = parseTree(readFileSync(path, 'utf8').replace(/^\uFEFF/, ' '))
    return root?.type === 'object' ? getNodeValue(root) : {}
  } catch {
    return {}
  }
}
