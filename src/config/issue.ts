import type * as z from 'zod'
import { notifiers } from '../notifiers/index.ts'
import { channelKeys, configKeys } from './schema.ts'
import { didYouMean } from './words.ts'

export interface Fault {
  path: readonly PropertyKey[]
  what: string
  hint?: string
}

/** What zod found wrong, for a person. */
export function describeIssue(issue: z.core.$ZodIssue, raw: unknown): Fault {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return { path: [...path, key], what: 'unknown key', hint: didYouMean(key, keysAt(path, raw)) }
  }
  const value = valueAt(raw, path)
  if (issue.code === 'invalid_union' && path.at(-1) === 'type') {
    if (value === undefined) return { path, what: 'is missing', hint: knownTypes() }
    const types = Object.keys(notifiers)
    return { path, what: `unknown type ${show(value)}`, hint: didYouMean(String(value), types) }
  }
  if (issue.code === 'invalid_type') {
    if (value === undefined) return { path, what: 'is missing' }
    return { path, what: `must be ${withArticle(issue.expected)}, not ${describeType(value)}` }
  }
  if (issue.code === 'invalid_key') return { path, what: `must be ${issue.issues[0]?.message}` }
  return { path, what: issue.message.charAt(0).toLowerCase() + issue.message.slice(1) }
}

function knownTypes(): string {
  return `Known: ${Object.keys(notifiers).join(', ')}`
}

function keysAt(path: readonly PropertyKey[], raw: unknown): readonly string[] {
  const type = valueAt(raw, [...path, 'type'])
  return path[0] === 'channels' ? channelKeys(String(type)) : configKeys(path)
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** Names of types are short; anything longer may be a secret that was put in the wrong place. */
function show(value: unknown): string {
  return typeof value === 'string' && value.length <= 32 ? `"${value}"` : describeType(value)
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  return withArticle(Array.isArray(value) ? 'array' : typeof value)
}

function withArticle(type: string): string {
  const word = type === 'record' ? 'object' : type === 'int' ? 'whole number' : type
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`
}
