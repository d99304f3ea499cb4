export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/**
 * What a value must look like: the part of JSON Schema 2020-12 that the table of endpoints needs.
 * The client checks with these, not with zod, which alone is larger than all of the client.
 */
export interface Shape {
  /** `integer` means one that JSON carries exactly: at most 2^53 - 1 from zero. */
  readonly type?: TypeName | readonly TypeName[]
  readonly enum?: readonly unknown[]
  readonly not?: { readonly enum: readonly unknown[] }
  /** Lengths are in UTF-16 code units, as in JavaScript. */
  readonly minLength?: number
  readonly maxLength?: number
  /** `date` is checked; other formats only tell what the text means. */
  readonly format?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly items?: Shape
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  /** Of names that are not in `properties`: all are refused, or all must have this shape. */
  readonly additionalProperties?: false | Shape
  readonly anyOf?: readonly Shape[]
  /** Number fields that another one limits. */
  readonly 'x-at-most'?: Readonly<Record<string, string>>
}

export const text: Shape = { type: 'string' }
export const someText: Shape = { type: 'string', minLength: 1 }
export const number: Shape = { type: 'number' }
export const integer: Shape = { type: 'integer' }
export const boolean: Shape = { type: 'boolean' }

export function list(items: Shape): Shape {
  return { type: 'array', items }
}

/** An object that may have more fields than these. */
export function open(
  properties: NonNullable<Shape['properties']>,
  required: readonly string[] = [],
): Shape {
  return { type: 'object', properties, required }
}

/** An object that may have these fields only. */
export function closed(...given: Parameters<typeof open>): Shape {
  return { ...open(...given), additionalProperties: false }
}
