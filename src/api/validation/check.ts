import { isRecord } from '../record.ts'
import { addNeutralName } from './neutral-names.ts'
import type { Shape } from './shape.ts'
import { violationOf } from './violation.ts'

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
