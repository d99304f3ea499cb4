/**
 * What a field of a payload may hold. Not zod: loading it and creating the schemas takes longer than everything else
 * that is done for an event, and only these few types have to be checked.
 */
export interface FieldType<Value = unknown> {
  accepts(value: unknown): value is Value
  /** What it must be, in words. */
  expected: string
}

/** The values that are read from fields; each may be missing. */
export type ValuesOf<Fields> = {
  [Name in keyof Fields]?: Fields[Name] extends FieldType<infer Value> ? Value : never
}

export const text: FieldType<string> = {
  accepts: (value) => typeof value === 'string',
  expected: 'a string',
}

export const nullableText: FieldType<string | null> = {
  accepts: (value) => value === null || typeof value === 'string',
  expected: 'a string',
}

export const textOrNumber: FieldType<string | number> = {
  accepts: (value): value is string | number => typeof value === 'string' || Number.isFinite(value),
  expected: 'a string',
}

export const count: FieldType<number> = {
  accepts: (value): value is number => Number.isFinite(value) && Number(value) >= 0,
  expected: 'a number of at least 0',
}

export const list: FieldType<unknown[]> = {
  accepts: (value) => Array.isArray(value),
  expected: 'an array',
}

export const anything: FieldType = { accepts: (_value): _value is unknown => true, expected: '' }
