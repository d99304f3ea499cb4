import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, isEndpoint } from '../endpoints/index.ts'
import type { Json } from './json-schema.ts'
import { toShape } from './shape.ts'

const HEADER = '// Written by `npm run gen` from the table in ../endpoints.\n'

/** The module that gives the operations of all areas. */
export function operationsIndex(areas: readonly { area: string; file: string }[]): string {
  return HEADER + areas.map(({ area, file }) => `export { ${area} } from './${file}'\n`).join('')
}

/** The module with the operations of an area: its entries of the table, as the client needs them. */
export function operationsModule(area: string, tree: EndpointTree): string {
  const named = new Map<string, Json>()
  const operations = printTree(tree, named, '')
  const shapes = [...named].map(([name, shape]) => `const ${name}: Shape = ${print(shape)}\n\n`)
  const body = `${shapes.join('')}export const ${area}: OperationTree = ${operations}\n`
  const plain = Object.values(plainShapes).filter((name) =>
    new RegExp(`\\b${name}\\b[,}\\]]`).test(body),
  )
  const shapeImports = [...plain, ...(named.size > 0 ? ['type Shape'] : [])].join(', ')
  return `${HEADER}import type { OperationTree } from '../core/operation.ts'
${shapeImports ? `import { ${shapeImports} } from '../core/shape.ts'\n` : ''}
${body}`
}

function printTree(tree: EndpointTree, named: Map<string, Json>, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(tree).map(([name, node]) => {
    const text = isEndpoint(node)
      ? printFields(operationOf(node, named), inner)
      : printTree(node, named, inner)
    return `${inner}${name}: ${text},\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function printFields(fields: Json, indent: string): string {
  const lines = Object.entries(fields).map(
    ([name, field]) => `${indent}  ${name}: ${print(field)},\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

/** All but what only people and servers read. */
function operationOf(endpoint: Endpoint, named: Map<string, Json>): Json {
  const { summary: _, description: __, errors: ___, ...facts } = endpoint
  const { params, query, body, response, ...rest } = facts
  const shapes = Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema ? [[part, shapeOf(schema, 'input', named)]] : [],
  )
  return { ...rest, ...Object.fromEntries(shapes), response: shapeOf(response, 'output', named) }
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

/** Shapes with a name in core/shape.ts: most fields have one of these. */
const plainShapes = {
  '{type:"string"}': 'text',
  '{type:"number"}': 'number',
  '{type:"integer"}': 'integer',
  '{type:"boolean"}': 'boolean',
  '{type:"string",minLength:1}': 'someText',
  '{type:"array",items:text}': 'texts',
}

/** References become the names of constants. */
function print(value: unknown): string {
  const literal = JSON.stringify(value)
    .replaceAll(/\{"\$ref":"(\w+)"\}/g, '$1')
    .replaceAll(/"([A-Za-z]\w*)":/g, '$1:')
  return Object.entries(plainShapes).reduce(
    (all, [shape, name]) => all.replaceAll(shape, name),
    literal,
  )
}
