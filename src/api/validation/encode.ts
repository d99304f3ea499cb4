import { type Drift, hasErrorMarker, type InputIssue, ValidationError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { isRecord } from '../record.ts'
import { check } from './check.ts'
import { encodeQuery, encodeSegment, toJson } from './encode-value.ts'
import type { Shape } from './shape.ts'
import { didYouMean } from './suggest.ts'

/** What goes on the wire, apart from origin and headers. */
export interface Encoded {
  path: string
  body: string | undefined
  /** Inputs that this version does not know. They are sent: the service may be newer. */
  drift: readonly Drift[]
}

/** What differs from the table in one call or one client. */
export interface Overrides {
  wire?: Readonly<Record<string, string>> | undefined
  path?: string | undefined
  /** Inputs that are not known are refused. */
  isStrict?: boolean
  extraQuery?: Readonly<Record<string, unknown>> | undefined
  extraBody?: Readonly<Record<string, unknown>> | undefined
}

type Values = Record<string, unknown>
interface Parts {
  params: Values
  query: Values
  body: Values
}

/** What was found in an input so far. */
interface Findings {
  issues: InputIssue[]
  /** Fields and values that are not known. */
  unknown: InputIssue[]
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
    if (hasErrorMarker(error)) throw error
    // A getter that throws.
    throw new ValidationError(entry.id, [{ field: 'input', problem: 'cannot be read' }])
  }
}

function encodeParts(entry: Operation, input: unknown, overrides: Overrides): Encoded {
  const found: Findings = { issues: [], unknown: [] }
  const { issues, unknown } = found
  const parts = split(entry, input, found)
  for (const name of partNames) checkPart(entry[name], parts[name], found)
  if (entry.strictInput || overrides.isStrict) issues.push(...unknown)
  const { extraQuery = {}, extraBody } = overrides
  if (!isRecord(extraQuery)) issues.push({ field: 'extraQuery', problem: 'must be an object' })
  if (extraBody !== undefined && !(entry.body && isRecord(extraBody)))
    issues.push({ field: 'extraBody', problem: 'must be an object, for an endpoint with a body' })
  if (issues.length > 0) throw new ValidationError(entry.id, issues)
  const wire = overrides.wire ? { ...entry.wire, ...overrides.wire } : entry.wire
  const path = fillPath(overrides.path ?? entry.path, parts.params, issues)
  const query = encodeQuery({ ...renamed(parts.query, wire), ...extraQuery }, issues)
  const body = entry.body
    ? toJson({ ...renamed(parts.body, wire), ...extraBody }, issues)
    : undefined
  if (issues.length > 0) throw new ValidationError(entry.id, issues)
  const drift = unknown.map(
    ({ field, problem }): Drift => ({ endpoint: entry.id, in: 'input', path: field, problem }),
  )
  return { path: query === '' ? path : `${path}?${query}`, body, drift }
}

/** Gives every input to the part that knows its name; what nobody knows goes where it can be sent. */
function split(entry: Operation, input: unknown, { issues, unknown }: Findings): Parts {
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
    // An assignment to this name would change the prototype, not add a property.
    if (key === '__proto__') issues.push({ field: key, problem: 'cannot be sent' })
    else parts[owner ?? restOf(entry)][key] = value
    if (owner || entry.passthrough) continue
    const known = partNames.flatMap((name) => Object.keys(entry[name]?.properties ?? {}))
    unknown.push({ field: key, problem: `is not a known input${didYouMean(key, known)}` })
  }
  return parts
}

function ownerOf(entry: Operation, key: string): keyof Parts | undefined {
  return partNames.find((name) => Object.hasOwn(entry[name]?.properties ?? {}, key))
}

function restOf({ body }: Operation): keyof Parts {
  return body ? 'body' : 'query'
}

function checkPart(shape: Shape | undefined, values: Values, { issues, unknown }: Findings) {
  if (!shape) return
  const { properties = {} } = shape
  for (const { path, problem, isOpen } of check(shape, values)) {
    // Reported as an input that is not known.
    if (path.length === 1 && !Object.hasOwn(properties, path[0] ?? '')) continue
    const list = isOpen ? unknown : issues
    list.push({ field: fieldName(path), problem })
  }
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
