import * as z from 'zod'
import type { Endpoint } from '../../../api/endpoints/endpoint.ts'

/** A change of one input to the nearest allowed or the nearest rejected value. */
export interface Case {
  field: string
  title: string
  /** What the table says about the input. */
  rule: string
  change: Record<string, unknown>
}

interface Field {
  description?: string
  type?: string
  anyOf?: Field[]
  enum?: unknown[]
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minItems?: number
  maxItems?: number
  items?: Field
  properties?: Record<string, Field>
  required?: string[]
}

/** Values at the limits that the endpoint table allows. */
export function allowedCases(endpoint: Endpoint): Case[] {
  return casesOf(endpoint, allowedValues, () => [])
}

/** Values one step beyond the limits of the endpoint table. */
export function refusedCases(endpoint: Endpoint): Case[] {
  return casesOf(endpoint, refusedValues, (isRequired) => (isRequired ? [undefined] : []))
}

function casesOf(
  endpoint: Endpoint,
  valuesOf: (field: Field) => unknown[],
  absentOf: (isRequired: boolean) => unknown[],
): Case[] {
  return [endpoint.params, endpoint.query, endpoint.body].flatMap((schema) => {
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as Field
    return Object.entries(properties).flatMap(([field, shape]) =>
      [...valuesOf(shape), ...absentOf(required.includes(field))].map((value) => ({
        field,
        title: `${field} ${describeValue(value)}`,
        rule: `${field}: ${shape.description}`,
        change: { [field]: value },
      })),
    )
  })
}

function allowedValues(field: Field): unknown[] {
  if (field.anyOf)
    return field.anyOf.flatMap((one) => (one.type === 'null' ? [null] : allowedValues(one)))
  if (field.enum) return field.enum
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = field
  if (field.format === 'date') return []
  return [
    ...known(minLength).map((length) => 'x'.repeat(length)),
    ...known(maxLength).map((length) => 'x'.repeat(length)),
    ...known(minimum, maximum),
    ...known(exclusiveMinimum).map((number) => number + 1),
    ...known(minItems, maxItems).map((length) => listOf(field, length)),
  ]
}

function refusedValues(field: Field): unknown[] {
  if (field.anyOf) {
    const main = field.anyOf.find(({ type }) => type !== 'null') ?? {}
    return refusedValues(main).filter((value) => value !== null)
  }
  // Not another string, since the enum is open to unknown values.
  if (field.enum) return [5]
  if (field.format === 'date') return ['2026-02-30', '2026-6-1', '1 June 2026']
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = field
  const isNumber = field.type === 'integer' || field.type === 'number'
  return [
    ...known(minLength).flatMap((length) => (length > 0 ? ['x'.repeat(length - 1)] : [])),
    ...known(maxLength).map((length) => 'x'.repeat(length + 1)),
    ...known(minimum).map((number) => number - 1),
    ...known(maximum).map((number) => number + 1),
    ...known(exclusiveMinimum),
    ...known(minItems).map((length) => listOf(field, length - 1)),
    ...known(maxItems).map((length) => listOf(field, length + 1)),
    ...(field.type === 'integer' ? [1.5] : []),
    ...(isNumber ? ['10'] : [10]),
    null,
  ]
}

function listOf({ items = {} }: Field, length: number): unknown[] {
  return Array.from({ length }, (_, index) =>
    Object.fromEntries(
      Object.keys(items.properties ?? {}).map((name) => [
        name,
        name === 'email' ? `user${index}@example.com` : 1_000_000,
      ]),
    ),
  )
}

/** The limits except the range of safe integers, which comes from the language and not from the table. */
function known(...limits: (number | undefined)[]): number[] {
  return limits.filter(
    (limit) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER,
  ) as number[]
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'left out'
  if (typeof value === 'string' && value.length > 20) return `of ${value.length} characters`
  if (Array.isArray(value)) return `of ${value.length} entries`
  return JSON.stringify(value)
}
