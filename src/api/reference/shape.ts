import { isEmpty, isSafeBound, type Json } from './json-schema.ts'

/** Keywords that do not affect validation, or that repeat another keyword. */
const dropped =
  'id description default pattern propertyNames secret x-extensible-enum x-added-by-client x-at-most required'

/** Keywords that are either dropped or kept in the short form. */
const known = new Set(
  `${dropped} type enum const not format minimum exclusiveMinimum maximum minLength maxLength minItems maxItems items
  properties additionalProperties anyOf oneOf $ref`.split(/\s+/),
)

const letters: { [type: string]: string } = {
  array: 'a',
  boolean: 'b',
  integer: 'i',
  number: 'n',
  object: 'o',
  string: 's',
}
const formats: { [format: string]: string } = { date: 'd', email: 'e', uuid: 'u' }

/** Returns the text for a reference to a named schema. */
type TextOf = (name: string) => string

/**
 * A JSON Schema in the short form of validation/shape.ts, without what only people read.
 * @throws {Error} for a keyword that the checker does not know: dropping it would accept more values
 */
export function shortForm(schema: Json, textOf: TextOf): string {
  for (const keyword of Object.keys(schema))
    if (!known.has(keyword)) throw new Error(`the checker does not know "${keyword}"`)
  if (typeof schema.$ref === 'string') return textOf(schema.$ref.replace('#/$defs/', ''))
  const variants = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (!variants) return bareForm(schema, textOf) + rangeForm(schema)
  const [main, none] = variants
  // A nullable value is one shape with a mark, not two variants.
  if (variants.length === 2 && main && none?.type === 'null' && letters[String(main.type)])
    return `${bareForm(main, textOf)}0${rangeForm(main)}`
  return variants.map((variant) => shortForm(variant, textOf)).join('|')
}

function bareForm(schema: Json, textOf: TextOf): string {
  const { items, properties, additionalProperties: others, format, not } = schema
  const [type, none] = [schema.type].flat()
  if (none === 'null') return `${bareForm({ ...schema, type }, textOf)}0`
  if (schema.enum ?? 'const' in schema) return wordsForm(schema.enum ?? [schema.const])
  // The `type` of the fallback variant. Any string will do: the checker picks a known type's own variant first.
  if (not) return 's'
  if (items && !isEmpty(items)) return `[${shortForm(items as Json, textOf)}]`
  if (properties) return `${others === false ? '!' : ''}{${fieldsForm(schema, textOf)}}`
  if (others && !isEmpty(others)) return `<${shortForm(others as Json, textOf)}>`
  return formats[String(format)] ?? letters[String(type)] ?? '*'
}

function wordsForm(words: unknown): string {
  if (!(words as unknown[]).every((word) => /^\w+$/.test(String(word))))
    throw new Error(`no short form for ${JSON.stringify(words)}`)
  return `(${(words as string[]).join('|')})`
}

/** Fields of the same shape share one text. */
function fieldsForm(schema: Json, textOf: TextOf): string {
  const { properties, required = [], 'x-at-most': limits = {} } = schema
  const fields = Object.entries(properties as { [name: string]: Json }).flatMap(([name, field]) => {
    const isOptional = !(required as string[]).includes(name)
    const mark = field['x-added-by-client'] ? '~' : isOptional ? '?' : ''
    const limit = (limits as Json)[name]
    const text = shortForm(field, textOf)
    // Nothing to check, where unknown fields are accepted.
    if (isOptional && text === '*' && schema.additionalProperties !== false) return []
    return { name: name + mark, text: limit ? text.replace('-)', `-${limit})`) : text }
  })
  const groups = new Map<string, string[]>()
  for (const { name, text } of fields) groups.set(text, [...(groups.get(text) ?? []), name])
  return [...groups].map(([text, names]) => `${names.join()}:${text}`).join()
}

function rangeForm(schema: Json): string {
  const { exclusiveMinimum, minLength, minItems, maxLength, maxItems } = schema
  const minimum = isSafeBound(schema.minimum) ? undefined : schema.minimum
  const maximum = isSafeBound(schema.maximum) ? undefined : schema.maximum
  if (exclusiveMinimum !== undefined && schema.type !== 'integer')
    throw new Error('exclusiveMinimum is for whole numbers')
  const above = exclusiveMinimum === undefined ? undefined : Number(exclusiveMinimum) + 1
  const least = minimum ?? above ?? minLength ?? minItems
  const most = maximum ?? maxLength ?? maxItems
  return least === undefined && most === undefined ? '' : `(${least ?? 0}-${most ?? ''})`
}
