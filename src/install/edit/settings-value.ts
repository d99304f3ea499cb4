import { getNodeValue, parseTree } from 'jsonc-parser'
import { isHookCommand } from '../hook-command.ts'

export type Json = Record<string, unknown>

/** The value of a settings file. Through JSON, so that a key such as `__proto__` is a key like any other. */
export function readValue(text: string): Json {
  const root = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true })
  const value: unknown = root ? JSON.parse(JSON.stringify(getNodeValue(root))) : {}
  return Object(value)
}

/** Whether a hook of a settings file runs our command. */
export function isOurs(hook: unknown): boolean {
  return isHookCommand(Object(hook).command)
}
