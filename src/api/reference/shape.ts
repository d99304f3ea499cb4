import { dropSafeBounds, isEmpty, type Json } from './json-schema.ts'

/** Keywords that the checker knows and that are copied. */
const copied = new Set(
  `type enum not minLength maxLength minimum exclusiveMinimum maximum minItems maxItems required
  x-at-most`.split(/\s+/),
)

/** Keywords that say nothing about whether a value fits, or that another keyword says as well. */
const dropped = new Set(
  'id description default pattern propertyNames secret x-extensible-enum x-added-by-client'.split(
    ' ',
  ),
)

/**
 * A JSON Schema as the client checks it, without what only people read.
 * @param keep is told the name of each schema that is referred to
 * @throws {Error} for a keyword that the checker does not know: to leave it out would be to accept more
 */
export function toShape(schema: Json, keep: (name: string) => void): Json {
  const go = (part: unknown) => toShape(part as Json, keep)
  const shape: Json = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (copied.has(keyword)) shape[keyword] = value
    else if (keyword === 'const') shape.enum = [value]
    else if (keyword === 'properties') shape.properties = mapFields(value as Json, go)
    else if (keyword === 'items' || keyword === 'additionalProperties') {
      const part = value === false ? false : go(value)
      if (!isEmpty(part)) shape[keyword] = part
    } else if (keyword === 'anyOf') Object.assign(shape, joinNull((value as Json[]).map(go)))
    else if (keyword === '$ref') {
      const name = String(value).replace('#/$defs/', '')
      keep(name)
      shape.$ref = name
    } else if (keyword === 'oneOf') {
      Object.assign(shape, { anyOf: (value as Json[]).map(go) })
    } else if (keyword === 'format') {
      shape.format = value
    } else if (!dropped.has(keyword)) throw new Error(`the checker does not know "${keyword}"`)
  }
  dropSafeBounds(shape)
  return shape
}

function mapFields(fields: Json, go: (field: unknown) => Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, go(field)]))
}

/** What may be null is of two types, not of two variants. */
function joinNull(variants: readonly Json[]): Json {
  const [main, none] = variants
  if (variants.length !== 2 || typeof main?.type !== 'string' || none?.type !== 'null' || main.enum)
    return { anyOf: variants }
  return { ...main, type: [main.type, 'null'] }
}
