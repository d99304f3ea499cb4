import { getNodeValue, parseTree } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { readQuietly } from '../fs/read.ts'
import { isObject } from '../is-object.ts'
import { MAX_SETTINGS_BYTES } from './file.ts'

/** Reads a settings file for callers that do not write it. A file that cannot be read counts as empty. */
export function readLeniently(path: string): Record<string, unknown> {
  try {
    const text = readQuietly(path, MAX_SETTINGS_BYTES)
    if (!text) return {}
    if (path.endsWith('.toml')) return parseToml(text)
    const value = parseJson(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Most files have no comments, and the built-in parser is faster. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const root = parseTree(text)
    return root && getNodeValue(root)
  }
}
