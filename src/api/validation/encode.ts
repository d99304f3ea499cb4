import {
  addIssue,
  type Drift,
  hasErrorMarker,
  type InputIssue,
  invalid,
  throwIfAny,
} from '../errors.ts'
import type { Operation } from '../operation.ts'
import { isRecord, mapFields } from '../record.ts'
import { check, fieldName, type Violation } from './check.ts'
import type { Shape } from './shape.ts'
import { didYouMean } from './suggest.ts'

/** What goes on the wire, apart from origin and headers. */
interface Encoded {
  path: string
  body: string | undefined
  /** Inputs that this version does not know. They are sent: the service may be newer. */
  drift: readonly Drift[]
}

/** How one call or one client differs from the endpoint table. */
interface Overrides extends Extras {
  wire?: Readonly<Record<string, string>> | undefined
  path?: string | undefined
  /** Whether unknown inputs are errors. */
  isStrict?: boolean | undefined
}

type Values = Record<string, unknown>
interface Parts {
  params: Values
  query: Values
  body: Values
}

/** The problems found in an input so far. */
interface Findings {
  issues: InputIssue[]
  /** Unknown fields and values. */
  unknown: InputIssue[]
}

const partNames = ['params', 'query', 'body'] as const

/**
 * Checks the flat input of an endpoint and puts each value into the path, the query or the body.
 * @throws {ValidationError} naming every field that is wrong
 */
export function encode(entry: Operation, input: unknown, overrides: Overrides = {}): Encoded {
  try {
    return encodeParts(entry, input, overrides)
  } catch (error) {
    if (hasErrorMarker(error)) throw error
    // A getter that throws.
    throw invalid(entry.id, 'input', 'cannot be read')
  }
}

function encodeParts(entry: Operation, input: unknown, overrides: Overrides): Encoded {
  const found: Findings = { issues: [], unknown: [] }
  const { issues, unknown } = found
  const parts = split(entry, input, found)
  for (const name of partNames) checkPart(entry[name], parts[name], found)
  if (entry.strictInput || overrides.isStrict) issues.push(...unknown)
  const { extraQuery, extraBody } = overrides
  checkExtras(overrides, Boolean(entry.body), issues)
  throwIfAny(entry.id, issues)
  const wire = overrides.wire ? { ...entry.wire, ...overrides.wire } : entry.wire
  const path = fillPath(overrides.path ?? entry.path, parts.params, issues)
  const query = encodeQuery({ ...renamed(parts.query, wire), ...extraQuery }, issues)
  const fields = { ...renamed(parts.body, wire), ...extraBody }
  // Where the body is not documented, it may have to be left out.
  const isLeftOut = entry.passthrough && !extraBody && Object.keys(fields).length === 0
  const body = entry.body && !isLeftOut ? toJson(fields, issues) : undefined
  throwIfAny(entry.id, issues)
  const drift = unknown.map(
    ({ field, problem }): Drift => ({ endpoint: entry.id, in: 'input', path: field, problem }),
  )
  return { path: path + query, body, drift }
}

/** Assigns every input to the part that declares it; unknown ones to the body if there is one, else to the query. */
function split(entry: Operation, input: unknown, { issues, unknown }: Findings): Parts {
  const parts: Parts = { params: {}, query: {}, body: {} }
  if (input === undefined) return parts
  if (!isRecord(input)) {
    addIssue(issues, 'input', 'must be an object')
    return parts
  }
  for (const key of Object.keys(input)) {
    const value = input[key]
    if (value === undefined) continue
    const owner = partNames.find((name) => entry[name]?.fields?.has(key))
    // An assignment to this name would change the prototype, not add a property.
    if (key === '__proto__') addIssue(issues, key, 'cannot be sent')
    else parts[owner ?? (entry.body ? 'body' : 'query')][key] = value
    if (owner || entry.passthrough) continue
    const known = partNames.flatMap((name) => [...(entry[name]?.fields?.keys() ?? [])])
    unknown.push({ field: key, problem: `is not a known input${didYouMean(key, known)}` })
  }
  return parts
}

function checkPart(shape: Shape | null | undefined, values: Values, { issues, unknown }: Findings) {
  if (!shape) return
  for (const violation of check(shape, values)) {
    const { path, isOpen } = violation
    // `split` has reported it as an unknown input.
    if (path.length === 1 && !shape.fields?.has(String(path[0]))) continue
    const list = isOpen ? unknown : issues
    list.push(toIssue(violation))
  }
}

export function toIssue({ path, problem }: Violation): InputIssue {
  return { field: fieldName(path) || 'input', problem }
}

/** The additional parts of a request. */
interface Extras {
  extraQuery?: Readonly<Record<string, unknown>> | undefined
  extraBody?: Readonly<Record<string, unknown>> | undefined
}

export function checkExtras(
  { extraQuery = {}, extraBody }: Extras,
  hasBody: boolean,
  issues: InputIssue[],
) {
  if (!isRecord(extraQuery)) addIssue(issues, 'extraQuery', 'must be an object')
  if (extraBody !== undefined && !(hasBody && isRecord(extraBody)))
    addIssue(issues, 'extraBody', 'must be an object, for a request whose body is one')
}

function fillPath(template: string, params: Values, issues: InputIssue[]): string {
  return template.replace(/[?#]|{(.*?)}/g, (found, name: string) => {
    if (Object.hasOwn(params, name)) return encodeSegment(name, params[name], issues)
    // Only a path of the user can have such a name, or a query.
    addIssue(issues, 'paths', `must not have ${found}`)
    return ''
  })
}

function renamed(values: Values, wire: Readonly<Record<string, string>> | undefined): Values {
  if (!wire) return values
  return mapFields(values, ([key, value]) => [
    (Object.hasOwn(wire, key) && wire[key]) || key,
    value,
  ])
}

// Lone surrogates are refused: they have no UTF-8 form and would arrive as another character.

/** Encodes a path value as one segment: it cannot end the segment, and `..` is refused. */
function encodeSegment(name: string, value: unknown, issues: InputIssue[]): string {
  const text = String(value)
  if (/^\.{0,2}$/.test(text) || !text.isWellFormed()) {
    addIssue(issues, name, 'cannot be sent in a path: empty, dots or broken Unicode')
    return ''
  }
  return encodeURIComponent(text)
}

/** Query values in the order given, after a `?`. Lists repeat the name. */
export function encodeQuery(
  values: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): string {
  let query = ''
  for (const [name, value] of Object.entries(values))
    for (const item of [value].flat()) {
      if (item === undefined) continue
      if (isPlain(item) && `${name}${item}`.isWellFormed())
        query += `${query ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`
      else addIssue(issues, name || 'query', 'cannot be sent in a query')
    }
  return query
}

/** The JSON of a value. Adds an issue if JSON cannot express all of it. */
export function toJson(value: unknown, issues: InputIssue[]): string | undefined {
  let lost: string | undefined
  function check(this: unknown, key: string, item: unknown) {
    // In a list, undefined would arrive as null.
    if (!hasJson(item) || (item === undefined && Array.isArray(this))) lost ??= key
    return item
  }
  try {
    const text = JSON.stringify(value, check)
    if (lost === undefined && text !== undefined) return text
  } catch {
    // A cycle, a bigint, or a toJSON that throws.
  }
  addIssue(issues, lost || 'body', 'cannot be sent as JSON')
  return undefined
}

function isPlain(item: unknown): boolean {
  return Number.isFinite(item) || /string|boolean/.test(typeof item)
}

/** False for a `Map` and the like, because JSON would contain none of their entries. */
function hasJson(item: unknown): boolean {
  return (
    item === undefined || item === null || isPlain(item) || Array.isArray(item) || isRecord(item)
  )
}
