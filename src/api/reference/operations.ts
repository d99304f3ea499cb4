import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, everything, isEndpoint, listEndpoints } from '../endpoints/index.ts'
import { defaultFactsOf, partFor } from '../operation.ts'
import { isEmpty, isSafeBound, type Json } from './json-schema.ts'
import { shareObjects, shareTexts } from './share.ts'

/** The module with the operations: the entries of the table, as the client needs them. */
export function operationsModule(): string {
  const tree = printTree(everything, '')
  const ids = listEndpoints(everything).map(({ id }) => `\n  | '${id}'`)
  return `${HEADER}import type { OperationTree } from './operation.ts'

${shareTexts(shareObjects(`export const operations: OperationTree = ${tree}\n`))}
/** The \`id\` of an endpoint: the path of its method in the client. */
export type EndpointId =${ids.join('')}
`
}

function printTree(tree: EndpointTree, indent: string): string {
  const lines = Object.entries(tree).map(([name, node]) => {
    const text = isEndpoint(node) ? printOperation(node) : printTree(node, `${indent}  `)
    return `${indent}  ${name}: ${text},\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** What only people and servers read, and what is written apart. */
const LEFT_OUT =
  'id name summary description errors irreversible example source method path query body response'

/** What every path begins with. */
const PREFIX = '/api/'

function printOperation(endpoint: Endpoint): string {
  const { id, method, path, query, body, response, wire = {} } = endpoint
  const part = partFor(method)
  if (part === 'query' ? body : query) throw new Error(`${id}: its input must be in the ${part}`)
  if (!path.startsWith(PREFIX)) throw new Error(`${id}: its path does not begin with ${PREFIX}`)
  const short = path.slice(PREFIX.length)
  const schema = endpoint[part]
  const input = schema ? printShape(schema, 'input') : ''
  const defaults: Json = defaultFactsOf(method, path, input)
  // Wire names that equal the input name only tell users which names they may have to override.
  const renamed = Object.entries(wire).filter(([one, other]) => one !== other)
  const all: Json = {
    ...endpoint,
    wire: renamed.length > 0 ? Object.fromEntries(renamed) : undefined,
  }
  const facts = Object.entries(all)
    .filter(([name]) => !LEFT_OUT.split(' ').includes(name))
    .map(([name, value]): [string, unknown] => {
      const io = name === 'params' ? 'input' : 'output'
      return [name, value instanceof z.ZodType ? printShape(value, io) : value]
    })
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]))
  const output = printShape(response, 'output')
  const parts = [
    method === 'GET' ? short : `${method} ${short}`,
    input,
    output === '*' ? '' : output,
    facts.length > 0 ? Object.fromEntries(facts) : '',
  ]
  const last = parts.findLastIndex(Boolean)
  return printData(parts.slice(0, last + 1))
}

function printShape(schema: z.ZodType, io: 'input' | 'output'): string {
  const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io }) as Json
  const definitions = Object($defs) as { [name: string]: Json }
  const inline = (name: string): string => shortForm(definitions[name] ?? {}, inline)
  return shortForm(root, inline)
}

/** Keywords that do not affect validation, or that repeat another keyword. */
const dropped =
  'id description default pattern propertyNames secret x-extensible-enum x-added-by-client x-at-most required patternProperties'

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

/** Prints plain data as TypeScript code, texts as templates. */
function printData(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printData).join(', ')}]`
  if (typeof value === 'string') return `\`${value}\``
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, field]) => {
    const name = /^[a-z]\w*$/i.test(key) ? key : `'${key}'`
    return `${name}: ${printData(field)}`
  })
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

export const HEADER = '// Written by `npm run gen` from the table in src/api/endpoints/.\n'
