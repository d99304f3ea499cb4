import { isRecord } from '../record.ts'
import { isText, type Shape } from './shape.ts'

/** A place where a value does not match its shape, and why. */
export interface Violation {
  path: readonly PropertyKey[]
  problem: string
  /** Set if the value is only unknown: an undeclared field, or a new value of an enumeration. */
  isOpen?: true
}

/**
 * Lists the places where a value does not match its shape, up to a limit. `undefined` counts as left out. Also adds neutral
 * names to the value, for fields that are named after a company.
 */
export function check(shape: Shape, value: unknown): Violation[] {
  const violations: Violation[] = []
  visit(shape, value, { path: [], violations })
  return violations
}

/** `path` leads to the current value and is modified in place; each violation gets a copy. */
interface Visit {
  path: PropertyKey[]
  violations: Violation[]
}

// A response of some kilobytes may decompress to millions of items that are all wrong.
const MOST_VIOLATIONS = 10_000

function visit(shape: Shape, value: unknown, at: Visit) {
  if (at.violations.length > MOST_VIOLATIONS) return
  const problem = value === undefined ? 'is missing' : violationOf(shape, value)
  // A newer service may know more values than this version.
  if (problem) report(at, problem, Boolean(shape.enum && value && typeof value === 'string'))
  else if (shape.anyOf) visitVariants(shape.anyOf, value, at)
  else if (Array.isArray(value)) visitItems(shape, value, at)
  else if (isRecord(value)) visitFields(shape, value, at)
}

/** The variant that the value itself names, for example by its `type`, must match, else the last one. */
function visitVariants(variants: readonly Shape[], value: unknown, at: Visit) {
  const named = variants.find(({ fields = [] }) =>
    [...fields].some(([name, field]) => field.enum?.includes(Object(value)[name])),
  )
  visit(named ?? (variants.at(-1) as Shape), value, at)
}

function visitItems({ items }: Shape, values: readonly unknown[], at: Visit) {
  if (items) for (const [index, value] of values.entries()) visitAt(index, items, value, at)
}

function visitFields(
  { fields, required, added, others }: Shape,
  value: Record<string, unknown>,
  at: Visit,
) {
  for (const [name, field] of fields ?? []) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    if (found !== undefined || required?.has(name)) visitAt(name, field, found, at)
    const { most } = field
    if (typeof most === 'string' && Number(found) > Number(value[most]))
      report(at, `must be at most ${most}`, false, name)
  }
  for (const name of added ?? []) addNeutralName(value, name, fields?.get(name) ?? {})
  if (others !== undefined)
    for (const [name, found] of Object.entries(value)) {
      if (found === undefined || fields?.has(name)) continue
      if (others) visitAt(name, others, found, at)
      else report(at, 'is an unknown field', true, name)
    }
}

function visitAt(key: PropertyKey, shape: Shape, value: unknown, at: Visit) {
  at.path.push(key)
  visit(shape, value, at)
  at.path.pop()
}

function report(
  { path, violations }: Visit,
  problem: string,
  isOpen: boolean,
  ...keys: PropertyKey[]
) {
  violations.push({ path: [...path, ...keys], problem, ...(isOpen ? { isOpen } : {}) })
}

/** What is wrong with a value itself, without looking at its items or fields. */
function violationOf(shape: Shape, value: unknown): string | undefined {
  const { name, is, isNullable, enum: allowed, least, most } = shape
  if (value === null && isNullable) return undefined
  if (is && !is(value)) return `must be ${name}${isNullable ? ' or null' : ''}`
  if (allowed && !allowed.includes(value as string))
    return `must be ${allowed.map((one) => JSON.stringify(one)).join(' or ')}`
  const isNumber = typeof value === 'number'
  let size: number = isNumber ? value : Object(value).length
  // Counted in characters, as JSON Schema and the specification do, not in UTF-16 code units.
  if (isText(value) && size > Number(most)) size = [...value].length
  if (size === 0 && least === 1 && !isNumber) return 'must not be empty'
  const must = isNumber ? 'must be at' : 'must have at'
  const unit = isNumber ? '' : isText(value) ? ' characters' : ' entries'
  if (size < Number(least)) return `${must} least ${least}${unit}`
  return size > Number(most) ? `${must} most ${most}${unit}` : undefined
}

/** Ordinary first words of field names. A field that starts with one is not named after a company. */
const PLAIN_WORD =
  /^(assistant|base|bonus|cache|chat|child|client|current|extra|first|free|hook|initial|inclusive|input|is|last|message|model|next|original|output|parallel|parent|previous|provider|remaining|reply|request|root|router|sent|session|source|target|thinking|tool|total|used|user)(?![a-z])/

/**
 * Adds a field such as `providerPhase` or `credits` to a record, copied from the first field that has a company name
 * instead: `openaiPhase`, `factoryCredits`. The new field is not enumerable: the JSON of the record stays what was
 * received.
 */
function addNeutralName(record: Record<string, unknown>, name: string, shape: Shape) {
  if (Object.hasOwn(record, name)) return
  const ending = name.replace(/^provider|^./, (start) => (start[1] ? '' : start.toUpperCase()))
  const found = Object.keys(record).find(
    (key) =>
      key.length > ending.length &&
      key.endsWith(ending) &&
      !PLAIN_WORD.test(key) &&
      !violationOf(shape, record[key]),
  )
  if (found)
    Object.defineProperty(record, name, {
      value: record[found],
      writable: true,
      configurable: true,
    })
}

/** `['users', 0, 'email']` as `users[0].email`. */
export function fieldName(
  path: readonly PropertyKey[],
  indexText = (index: number) => `[${index}]`,
) {
  const texts = path.map((key) => (typeof key === 'number' ? indexText(key) : `.${String(key)}`))
  return texts.join('').replace(/^\./, '')
}
