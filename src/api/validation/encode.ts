import { type InputIssue, isClientError, ValidationError } from '../core/errors.ts'
import type { Operation } from '../core/operation.ts'
import { isRecord } from '../core/record.ts'
import { check } from './check.ts'
import { encodeQuery, encodeSegment, toJson } from './encode-value.ts'
import type { Shape } from './shape.ts'

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
export function encode(entry: Operation, input: unknown, overrides: Overrides = {}): Encoded {
  try {
    return encodeParts(entry, input, overrides)
  } catch (error) {
    if (isClientError(error)) throw error
    // A getter that throws.
    throw new ValidationError(entry.id, [{ field: 'input', problem: 'cannot be read' }])
  }
}

function encodeParts(entry: Operation, input: unknown, overrides: Overrides): Encoded {
  const issues: InputIssue[] = []
  const parts = split(entry, input, issues)
  for (const name of partNames) checkPart(entry[name], parts[name], issues)
  if (issues.length > 0) throw new ValidationError(entry.id, issues)
  const wire = overrides.wire ? { ...entry.wire, ...overrides.wire } : entry.wire
  const path = fillPath(overrides.path ?? entry.path, parts.params, issues)
  const query = encodeQuery(renamed(parts.query, wire), issues)
  const body = entry.body ? toJson(renamed(parts.body, wire), issues) : undefined
  if (issues.length > 0) throw new ValidationError(entry.id, issues)
  return { path: query === '' ? path : `${path}?${query}`, body }
}

/** Gives every input to the schema that knows its name. */
function split(entry: Operation, input: unknown, issues: InputIssue[]): Parts {
  const parts: Parts = { params: {}, query: {}, body: {} }
  if (input === undefined) return parts
  if (!isRecord(input)) {
    issues.push({ field: 'input', problem: 'must be an object' })
    return parts
  }
  for (const key of Object.keys(input)) {
    const value = input[key]
    if (value === undefined) continue
    const owner = ownerOf(entry, key)
    if (owner) parts[owner][key] = value
    else issues.push({ field: key, problem: 'is not an input of this endpoint' })
  }
  return parts
}

function ownerOf(entry: Operation, key: string): keyof Parts | undefined {
  for (const name of partNames) {
    const shape = entry[name]
    if (shape?.properties && Object.hasOwn(shape.properties, key)) return name
  }
  // An assignment to this name would change the prototype, not add a property.
  if (!entry.passthrough || key === '__proto__') return undefined
  return entry.body ? 'body' : 'query'
}

function checkPart(shape: Shape | undefined, values: Values, issues: InputIssue[]) {
  if (!shape) return
  for (const { path, problem } of check(shape, values))
    issues.push({ field: fieldName(path), problem })
}

/** `['users', 0, 'email']` as `users[0].email`. */
export function fieldName(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
  return text.startsWith('.') ? text.slice(1) : text || 'input'
}

/** Templates in pieces: every second one is a name. There are as many as endpoints. */
const pieces = new Map<string, readonly string[]>()

function fillPath(template: string, params: Values, issues: InputIssue[]): string {
  let parts = pieces.get(template)
  if (!parts) {
    parts = template.split(/[{}]/)
    pieces.set(template, parts)
  }
  let path = ''
  for (const [index, part] of parts.entries())
    path += index % 2 === 0 ? part : encodeSegment(part, params[part], issues)
  return path
}

function renamed(values: Values, wire: Readonly<Record<string, string>> | undefined): Values {
  if (!wire) return values
  const pairs = Object.entries(values)
  return Object.fromEntries(
    pairs.map(([key, value]) => [Object.hasOwn(wire, key) ? wire[key] : key, value]),
  )
}
