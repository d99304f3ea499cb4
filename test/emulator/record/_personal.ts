import { createHash } from 'node:crypto'
import * as z from 'zod'
import { listEndpoints } from '../../../src/api/endpoints/index.ts'

/** What stands in every text of a service that is not a word of the specification. */
export const MARK = /pii|7e57ed/i

const words = new Set(listEndpoints().flatMap(({ response }) => wordsOf(z.toJSONSchema(response))))

function wordsOf(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(wordsOf)
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) =>
    /^(const|enum|x-extensible-enum)$/.test(key) ? [value].flat() : wordsOf(value),
  )
}

/** Names of fields that the specification has. A service may use anything as the name of another one. */
const names = new Set(listEndpoints().flatMap(({ response }) => namesOf(z.toJSONSchema(response))))

function namesOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namesOf)
  if (typeof node !== 'object' || node === null) return []
  const { properties = {} } = node as { properties?: object }
  return [...Object.keys(properties), ...Object.values(node).flatMap(namesOf)]
}

/** The same value with a mark in each text that could be personal. Equal texts stay equal, and UUIDs are UUIDs. */
export function withMarks(value: unknown): unknown {
  if (typeof value === 'string') return words.has(value) ? value : markOf(value)
  if (Array.isArray(value)) return value.map(withMarks)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      names.has(key) || INPUTS.test(key) ? key : markOf(key),
      withMarks(field),
    ]),
  )
}

/** Names of inputs, which no response has. */
const INPUTS = /^(email|repoId|name|\w+Id)$/

function markOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex')
  if (/^[\da-f]{8}-[\da-f-]{27}$/i.test(text))
    return `7e57ed${hash.slice(0, 2)}-0000-4000-8000-${hash.slice(2, 14)}`
  const mark = `Pii${hash.slice(0, 12)}`
  return text.includes('@') ? `${mark}@pii.example.org` : mark
}

/** Fields that no service sends, and what is not documented and no text: a recording has neither. */
function isLost(path: string, value: unknown): boolean {
  if (/\.(credits|provider[A-Z]\w*)$/.test(path) && !path.endsWith('providerType')) return true
  const isAny = /\.(source|input|metadata|deletedAt)$|\.content\.\d+\.content$/.test(path)
  return isAny && typeof value !== 'string'
}

/** Where a value of a service has a field or a type that the emulator's value has not. */
export function missingIn(emulated: unknown, original: unknown, path = ''): string[] {
  if (kindOf(original) !== kindOf(emulated))
    return [`${path}: ${kindOf(emulated)} for ${kindOf(original)}`]
  if (typeof original !== 'object' || original === null) return []
  const fields = Array.isArray(original)
    ? [...original.entries()].map(([index, field]): [number, unknown] => [index, field])
    : Object.entries(original).filter(([name, field]) => !isLost(`${path}.${name}`, field))
  return fields.flatMap(([name, field]) =>
    missingIn(Reflect.get(Object(emulated), name), field, `${path}.${name}`),
  )
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`
  return value === null ? 'null' : typeof value
}
