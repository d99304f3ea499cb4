import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, isEndpoint } from '../endpoints/index.ts'
import { standard } from '../operation.ts'
import type { Json } from './json-schema.ts'
import { HEADER } from './module.ts'
import { printData, printShape } from './print-code.ts'
import { toShape } from './shape.ts'

/** The module that gives the operations of all areas. */
export function operationsIndex(areas: readonly { area: string; file: string }[]): string {
  return HEADER + areas.map(({ area, file }) => `export { ${area} } from './${file}'\n`).join('')
}

/** The module with the operations of an area: its entries of the table, as the client needs them. */
export function operationsModule(area: string, tree: EndpointTree): string {
  const named = new Map<string, Json>()
  const operations = printTree(tree, { named, indent: '' })
  const shapes = [...named].map(([name, one]) => `const ${name} = ${printShape(one)}\n\n`)
  const body = `${shapes.join('')}export const ${area}: OperationTree = ${operations}\n`
  return `${HEADER}import type { OperationTree } from '../operation.ts'
${body.includes('shape`') ? `import { shape } from '../validation/shape.ts'\n` : ''}
${shareLiterals(body)}`
}

/** Long lists and hints that come more than once stand there once. */
function shareLiterals(body: string): string {
  const found = body.match(/\["[^\]]{40,}\]|\{ '\d{3}': "[^}]{20,}" \}/g) ?? []
  const twice = [...new Set(found)].filter((text) => body.split(text).length > 2)
  return twice.reduce(
    (text, literal, at) =>
      `const same${at} = ${literal}\n\n${text.replaceAll(literal, `same${at}`)}`,
    body,
  )
}

/** What is known of the module so far: shapes with names. */
interface Printer {
  named: Map<string, Json>
  indent: string
}

function printTree(tree: EndpointTree, printer: Printer): string {
  const inner = { ...printer, indent: `${printer.indent}  ` }
  const texts = Object.entries(tree).map(([name, node]): [string, string] => [
    name,
    isEndpoint(node) ? printOperation(node, inner) : printTree(node, inner),
  ])
  return printLines(texts, printer.indent)
}

function printOperation(endpoint: Endpoint, { named, indent }: Printer): string {
  const { facts, shapes } = operationOf(endpoint, named)
  const texts = [
    ...Object.entries(facts).map(([name, field]): [string, string] => [name, printData(field)]),
    ...Object.entries(shapes).map(([name, one]): [string, string] => [
      name,
      printShape(one as Json),
    ]),
  ]
  return printLines(texts, indent)
}

function printLines(fields: readonly [name: string, text: string][], indent: string): string {
  return `{\n${fields.map(([name, text]) => `${indent}  ${name}: ${text},\n`).join('')}${indent}}`
}

/** All but what only people and servers read, and what `completeOperation` adds. */
function operationOf(endpoint: Endpoint, named: Map<string, Json>): { facts: Json; shapes: Json } {
  const {
    name: _,
    summary: __,
    description: ___,
    errors: ____,
    irreversible: _____,
    ...known
  } = endpoint
  const { id: ______, params, query, body, response, groupedResponse, ...rest } = known
  const { wire = {}, host, success, retry, ...others } = rest
  // Names that are the same on the wire are there for people, who may have to change them.
  const renamed = Object.entries(wire).filter(([name, other]) => name !== other)
  const schemas = Object.entries({ params, query, body, response, groupedResponse })
  const shapes = schemas.flatMap(([part, schema]) => {
    const io = part.toLowerCase().endsWith('response') ? 'output' : 'input'
    return schema ? [[part, shapeOf(schema, io, named)]] : []
  })
  const facts = {
    ...others,
    ...(host !== standard.host && { host }),
    ...(success.join() !== standard.success.join() && { success }),
    ...(retry !== standard.retry && { retry }),
    ...(renamed.length > 0 && { wire: Object.fromEntries(renamed) }),
  }
  return { facts, shapes: Object.fromEntries(shapes) }
}

/** The shape of a schema. Those that it refers to by name go into `named`, each after its own. */
function shapeOf(schema: z.ZodType, io: 'input' | 'output', named: Map<string, Json>): Json {
  const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io }) as Json
  const definitions = Object($defs) as { [name: string]: Json }
  const keep = (name: string) => {
    if (named.has(name)) return
    const shape = toShape(definitions[name] ?? {}, keep)
    named.set(name, shape)
  }
  return toShape(root, keep)
}
