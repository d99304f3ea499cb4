import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, isEndpoint } from '../endpoints/index.ts'
import type { Json } from './json-schema.ts'
import { printCode } from './print-code.ts'
import { toShape } from './shape.ts'

const HEADER = '// Written by `npm run gen` from the table in ../endpoints.\n'

/** The module that gives the operations of all areas. */
export function operationsIndex(areas: readonly { area: string; file: string }[]): string {
  return HEADER + areas.map(({ area, file }) => `export { ${area} } from './${file}'\n`).join('')
}

/** The module with the operations of an area: its entries of the table, as the client needs them. */
export function operationsModule(area: string, tree: EndpointTree): string {
  const named = new Map<string, Json>()
  const words = new Set<string>()
  const operations = printTree(tree, { named, words, indent: '' })
  const shapes = shareFields(
    [...named].map(([name, shape]) => `const ${name}: Shape = ${printCode(shape, words)}\n\n`),
  )
  const imports = [...[...words].sort(), ...(named.size > 0 ? ['type Shape'] : [])].join(', ')
  const body = `${shapes.join('')}export const ${area}: OperationTree = ${operations}\n`
  return `${HEADER}import type { OperationTree } from '../core/operation.ts'
${imports ? `import { ${imports} } from '../validation/shape.ts'\n` : ''}
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

/** What is known of the module so far: shapes with names, and words from core/shape.ts. */
interface Printer {
  named: Map<string, Json>
  words: Set<string>
  indent: string
}

const FIELDS = /(?<=\(\{ )(\w+: [\w()]+, )+/

/** The long start that two shapes have in common stands there once. */
function shareFields(shapes: readonly string[]): string[] {
  const starts = shapes.map((text) => FIELDS.exec(text)?.[0] ?? '')
  const twice = starts.find((start, at) => start.length > 200 && starts.indexOf(start) < at)
  if (twice === undefined) return [...shapes]
  return [
    `const shared = { ${twice.slice(0, -2)} }\n\n`,
    ...shapes.map((text) => text.replace(`({ ${twice}`, '({ ...shared, ')),
  ]
}

function printTree(tree: EndpointTree, printer: Printer): string {
  const inner = { ...printer, indent: `${printer.indent}  ` }
  const texts = Object.entries(tree).map(([name, node]): [string, string] => [
    name,
    isEndpoint(node) ? printOperation(node, inner) : printTree(node, inner),
  ])
  return printLines(texts, printer.indent)
}

function printOperation(endpoint: Endpoint, { named, words, indent }: Printer): string {
  const fields = Object.entries(operationOf(endpoint, named))
  return printLines(
    fields.map(([name, field]) => [name, printCode(field, words)]),
    indent,
  )
}

function printLines(fields: readonly [name: string, text: string][], indent: string): string {
  return `{\n${fields.map(([name, text]) => `${indent}  ${name}: ${text},\n`).join('')}${indent}}`
}

/** All but what only people and servers read. */
function operationOf(endpoint: Endpoint, named: Map<string, Json>): Json {
  const { summary: _, description: __, errors: ___, ...facts } = endpoint
  const { params, query, body, response, wire = {}, ...rest } = facts
  // Names that are the same on the wire are there for people, who may have to change them.
  const renamed = Object.entries(wire).filter(([name, other]) => name !== other)
  const shapes = Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema ? [[part, shapeOf(schema, 'input', named)]] : [],
  )
  return {
    ...rest,
    ...(renamed.length > 0 && { wire: Object.fromEntries(renamed) }),
    ...Object.fromEntries(shapes),
    response: shapeOf(response, 'output', named),
  }
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
