import type * as z from 'zod'
import { isRecord } from '../schemas/_record.ts'
import { encodeQuery, encodeSegment, toJson } from './encode-value.ts'
import type { Endpoint } from './endpoint.ts'
import { type InputIssue, ValidationError } from './errors.ts'

/** What goes on the wire, apart from origin and headers. */
export interface Encoded {
  path: string
  body: string | undefined
}

/** Names on the wire and paths that differ from those of the table. */
export interface Overrides {
  wire?: Readonly<Record<string, string>> | undefined
  path?: string | undefined
}

type Values = Record<string, unknown>
interface Parts {
  params: Values
  query: Values
  body: Values
}

const partNames = ['params', 'query', 'body'] as const

/**
 * Checks the flat input of an endpoint and puts each value where it belongs.
 * @throws {ValidationError} naming every field that is wrong
 */
export function encode(entry: Endpoint, input: unknown, overrides: Overrides = {}): Encoded {
  const issues: InputIssue[] = []
  const parts = split(entry, input, issues)
  for (const name of partNames) issues.push(...check(entry[name], parts[name]))
  if (issues.length > 0) throw new ValidationError(entry.id, issues)
  const wire = { ...entry.wire, ...overrides.wire }
  const path = fillPath(overrides.path ?? entry.path, parts.params, issues)
  const query = encodeQuery(renamed(parts.query, wire), issues)
  const body = entry.body ? toJson(renamed(parts.body, wire), issues) : undefined
  if (issues.length > 0) throw new ValidationError(entry.id, issues)
  return { path: query === '' ? path : `${path}?${query}`, body }
}

/** Gives every input to the schema that knows its name. */
function split(entry: Endpoint, input: unknown, issues: InputIssue[]): Parts {
  const pairs: Record<keyof Parts, [string, unknown][]> = { params: [], query: [], body: [] }
  if (input !== undefined && !isRecord(input)) {
    issues.push({ field: 'input', problem: 'must be an object' })
    return { params: {}, query: {}, body: {} }
  }
  for (const pair of Object.entries(input ?? {})) {
    if (pair[1] === undefined) continue
    const owner = ownerOf(entry, pair[0])
    if (owner) pairs[owner].push(pair)
    else issues.push({ field: pair[0], problem: 'is not an input of this endpoint' })
  }
  // fromEntries, since an assignment to `__proto__` would be no property.
  return {
    params: Object.fromEntries(pairs.params),
    query: Object.fromEntries(pairs.query),
    body: Object.fromEntries(pairs.body),
  }
}

function ownerOf(entry: Endpoint, key: string): keyof Parts | undefined {
  for (const name of partNames) {
    const schema = entry[name]
    if (schema && Object.hasOwn(schema.shape, key)) return name
  }
  if (!entry.passthrough) return undefined
  return entry.body ? 'body' : 'query'
}

function check(schema: z.ZodObject | undefined, values: Values): InputIssue[] {
  const issues = schema?.safeParse(values).error?.issues ?? []
  return issues.map(({ path, message }) => ({ field: fieldName(path), problem: message }))
}

/** `['users', 0, 'email']` as `users[0].email`. */
export function fieldName(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
  return text.startsWith('.') ? text.slice(1) : text || 'input'
}

function fillPath(template: string, params: Values, issues: InputIssue[]): string {
  return template.replaceAll(/{(\w+)}/g, (_, name: string) =>
    encodeSegment(name, params[name], issues),
  )
}

function renamed(values: Values, wire: Readonly<Record<string, string>>): Values {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      Object.hasOwn(wire, key) ? wire[key] : key,
      value,
    ]),
  )
}
