import * as z from 'zod'
import { once } from '../record.ts'
import type { Open } from '../types.ts'
import { isUuid } from '../validation/shape.ts'

/** Declares a string whose list of values is known to be incomplete, or may grow. */
export function openEnum<const Value extends string>(values: readonly Value[]) {
  const schema: unknown = z.string().meta({ 'x-extensible-enum': [...values] })
  return schema as z.ZodType<Open<Value>, Open<Value>>
}

/** Declares a string that is none of the known ones: the `type` of a union's variant for everything else. */
export function otherThan(known: readonly string[], problem: string) {
  const isOther = (value: string) => !known.includes(value)
  return z
    .string()
    .refine(isOther, problem)
    .meta({ not: { enum: [...known] } })
}

/** Declares a text that is not empty. Its length is counted in characters, as in JSON Schema, not in UTF-16 units. */
export function text(maxLength: number) {
  return z
    .string()
    .min(1)
    .refine(
      (value) => value.length <= maxLength || [...value].length <= maxLength,
      `must have at most ${maxLength} characters`,
    )
    .meta({ maxLength })
}

/** Inputs that are not documented: they are passed on unchanged. */
export const undocumented = once(() => z.looseObject({}))

/** Declares a UUID. */
export function uuid() {
  return z.string().refine(isUuid, 'must be a UUID').meta({ format: 'uuid' })
}
