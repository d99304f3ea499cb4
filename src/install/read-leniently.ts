import { readFileSync, statSync } from 'node:fs'
import { getNodeValue, parseTree } from 'jsonc-parser'

/** What a settings file says, for those who only look: one that cannot be read says nothing. */
export function readLeniently(path: string): Record<string, unknown> {
  try {
    if (!statSync(path).isFile()) return {}
    const root = parseTree(readFileSync(path, 'utf8').replace(/^\uFEFF/, ' '))
    return root?.type === 'object' ? getNodeValue(root) : {}
  } catch {
    return {}
  }
}
