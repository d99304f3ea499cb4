import { isRecord } from '../record.ts'
import { isDate, isEmail, isUuid } from './formats.ts'
import type { Shape, TypeName } from './shape.ts'

/** What is wrong with a value itself, apart from what is in it. */
export function violationOf(shape: Shape, value: unknown): string | undefined {
  const { type, enum: allowed, not } = shape
  if (type !== undefined && !isOfType(type, value)) return `must be ${nameOf(type)}`
  if (allowed && !allowed.includes(value)) return `must be ${allowed.map(quote).join(' or ')}`
  if (not?.enum.includes(value)) return `must not be ${quote(value)}`
  if (typeof value === 'string') return textViolation(shape, value)
  if (typeof value === 'number') return numberViolation(shape, value)
  if (Array.isArray(value)) return sizeViolation(shape.minItems, shape.maxItems, value, 'entries')
  return undefined
}

const types: { [Name in TypeName]: { name: string; has(value: unknown): boolean } } = {
  string: { name: 'a string', has: (value) => typeof value === 'string' },
  number: { name: 'a number', has: Number.isFinite },
  integer: { name: 'a whole number', has: Number.isSafeInteger },
  boolean: { name: 'true or false', has: (value) => typeof value === 'boolean' },
  array: { name: 'an array', has: Array.isArray },
  object: { name: 'an object', has: isRecord },
  null: { name: 'null', has: (value) => value === null },
}

function isOfType(type: NonNullable<Shape['type']>, value: unknown): boolean {
  return typeof type === 'string'
    ? types[type].has(value)
    : type.some((one) => types[one].has(value))
}

function nameOf(type: NonNullable<Shape['type']>): string {
  return [type]
    .flat()
    .map((one) => types[one].name)
    .join(' or ')
}

const quote = (value: unknown) => JSON.stringify(value)

function textViolation({ minLength, maxLength, format }: Shape, text: string) {
  if (format === 'date' && !isDate(text)) return 'must be a day, YYYY-MM-DD'
  if (format === 'email' && !isEmail(text)) return 'must be an e-mail address'
  if (format === 'uuid' && !isUuid(text)) return 'must be a UUID'
  return sizeViolation(minLength, maxLength, text, 'characters')
}

function numberViolation({ minimum, exclusiveMinimum, maximum }: Shape, number: number) {
  if (minimum !== undefined && number < minimum) return `must be at least ${minimum}`
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum)
    return `must be more than ${exclusiveMinimum}`
  if (maximum !== undefined && number > maximum) return `must be at most ${maximum}`
  return undefined
}

function sizeViolation(
  least = 0,
  most = Number.POSITIVE_INFINITY,
  { length }: { length: number },
  unit: string,
) {
  if (length === 0 && least === 1) return 'must not be empty'
  if (length < least) return `must have at least ${least} ${unit}`
  if (length > most) return `must have at most ${most} ${unit}`
  return undefined
}
