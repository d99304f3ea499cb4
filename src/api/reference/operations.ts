import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { api, type EndpointTree, isEndpoint, listEndpoints } from '../endpoints/index.ts'
import { defaultFactsOf } from '../operation.ts'
import { isEmpty, isSafeBound, type Json } from './json-schema.ts'

/** The module with the operations: the entries of the table, as the client needs them. */
export function operationsModule(): string {
  const printer = makePrinter()
  const tree = printTree(api, printer, '')
  const body = `${printer.shapes()}export const operations: OperationTree = ${tree}\n`
  const short = inlineOnce(shareFields(shareFacts(body)))
  // A template that only contains a name becomes that name.
  const plain = short.replaceAll(/`\${(\w+)}`/g, '$1')
  const ids = listEndpoints().map(({ id }) => `\n  | '${id}'`)
  return `${HEADER}import type { OperationTree } from './operation.ts'

${plain}
/** The \`id\` of an endpoint: the path of its method in the client. */
export type EndpointId =${ids.join('')}
`
}

/** Moves hints, wire names and paths that occur more than once into constants. */
function shareFacts(body: string): string {
  const found = body.match(/(?<=(hints|wire): )\{[^}]+\}|(?<=path: )"[^"]+"/g) ?? []
  const twice = [...new Set(found)].filter((text) => body.split(text).length > 2)
  return twice.reduce(
    (text, literal, at) =>
      `const shared${at} = ${literal}\n\n${text.replaceAll(literal, `shared${at}`)}`,
    body,
  )
}

/** Inlines shapes that are used only once. */
function inlineOnce(body: string): string {
  const shapes = [...body.matchAll(/^const (\w+) = `([^`]*)`\n\n/gm)]
  return shapes.reverse().reduce((text, [line, name, inner = '']) => {
    const place = `\${${name}}`
    if (text.split(place).length !== 2) return text
    return text.replace(line, '').replace(place, () => inner)
  }, body)
}

/** Moves sequences of fields that occur more than once into constants, if that is shorter. */
function shareFields(body: string): string {
  let text = body
  for (let at = 0; ; at += 1) {
    const gain = (run: string) => saved(run, text.split(run).length - 1)
    const [best] = runsIn(text).sort((a, b) => gain(b) - gain(a))
    if (!best || gain(best) <= 0) return text
    const name = `fields${at || ''}`
    text = `const ${name} = '${best}'\n\n${text.replaceAll(best, `\${${name}}`)}`
  }
}

// Lengths in the minified bundle: of `${ab}`, and of the declaration without its text.
const REFERENCE = 5
const DECLARATION = 6

/** How many characters a constant saves for a text that occurs `times` times. */
function saved(text: string, times: number): number {
  return times * (text.length - REFERENCE) - (text.length + DECLARATION)
}

/** Sequences of whole fields without nested shapes that occur again further on. */
function runsIn(body: string): string[] {
  const runs =
    /(?<=[{,])((?:\w+[?~]?(?::\w|:\[\w\])?,)+(?:\w+[?~]?(?::\w)?)?)(?=[^\w][\s\S]*[{,]\1[^\w?~])/g
  return [...body.matchAll(runs)].map(([run]) => run)
}

type Printer = ReturnType<typeof makePrinter>

/** Prints schemas. Named ones become constants, each after those that it refers to. */
function makePrinter() {
  const named = new Map<string, string>()
  return {
    print(schema: z.ZodType, io: 'input' | 'output'): string {
      const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io }) as Json
      const definitions = Object($defs) as { [name: string]: Json }
      const keep = (name: string): string => {
        if (!named.has(name)) named.set(name, shortForm(definitions[name] ?? {}, keep))
        return `\${${name}}`
      }
      return `\`${shortForm(root, keep)}\``
    },
    shapes: () => [...named].map(([name, text]) => `const ${name} = \`${text}\`\n\n`).join(''),
  }
}

function printTree(tree: EndpointTree, printer: Printer, indent: string): string {
  const inner = `${indent}  `
  const texts = Object.entries(tree).map(([name, node]): [string, string] => [
    name,
    isEndpoint(node) ? printOperation(node, printer, inner) : printTree(node, printer, inner),
  ])
  return printLines(texts, indent)
}

function printLines(fields: readonly [name: string, text: string][], indent: string): string {
  return `{\n${fields.map(([name, text]) => `${indent}  ${name}: ${text},\n`).join('')}${indent}}`
}

/** What only people and servers read, and what `completeOperation` adds. */
const LEFT_OUT = ['id', 'name', 'summary', 'description', 'errors', 'irreversible', 'example']

function printOperation(endpoint: Endpoint, printer: Printer, indent: string): string {
  const { params, query, body, response, groupedResponse, wire = {}, ...facts } = endpoint
  // Wire names that equal the input name only tell users which names they may have to override.
  const renamed = Object.entries(wire).filter(([one, other]) => one !== other)
  const written = { ...facts, ...(renamed.length > 0 && { wire: Object.fromEntries(renamed) }) }
  const defaults: Json = { ...defaultFactsOf(endpoint), method: 'GET' }
  const inputs = params ? printer.print(params, 'input') : ''
  const usual = defaults.params ? `\`${defaults.params}\`` : ''
  const documented = printer.print(response, 'output')
  const shapes = {
    ...(inputs !== usual && { params: inputs }),
    ...(query && { query: printer.print(query, 'input') }),
    ...(body && { body: printer.print(body, 'input') }),
    ...(documented !== '`*`' && { response: documented }),
    ...(groupedResponse && { groupedResponse: printer.print(groupedResponse, 'output') }),
  }
  const texts = Object.entries(written)
    .filter(([fact]) => !LEFT_OUT.includes(fact))
    .filter(([fact, value]) => JSON.stringify(value) !== JSON.stringify(defaults[fact]))
    .map(([fact, value]): [string, string] => [fact, printData(value)])
  return printLines([...texts, ...Object.entries(shapes)], indent)
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

/** Prints plain data as TypeScript code. */
export function printData(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printData).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, field]) => {
    const name = /^[a-z]\w*$/i.test(key) ? key : `'${key}'`
    return `${name}: ${printData(field)}`
  })
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

export const HEADER = '// Written by `npm run gen` from the table in src/api/endpoints/.\n'
