import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, isEndpoint } from '../endpoints/index.ts'
import { standardOf } from '../operation.ts'
import type { Json } from './json-schema.ts'
import { HEADER } from './module.ts'
import { printData } from './print-code.ts'
import { printShape } from './shape.ts'

/** The module that gives the operations of all areas. */
export function operationsIndex(areas: readonly { area: string; file: string }[]): string {
  const lines = areas.map(({ area, file }) => `import { ${area} } from './${file}'\n`).sort()
  const names = areas.map(({ area }) => area).join(', ')
  return `${HEADER}${lines.join('')}\nexport const operations = { ${names} }\n`
}

/** The module with the operations of an area: its entries of the table, as the client needs them. */
export function operationsModule(area: string, tree: EndpointTree): string {
  const printer = makePrinter()
  const operations = printTree(tree, printer, '')
  const body = `${printer.shapes()}export const ${area}: OperationTree = ${operations}\n`
  return `${HEADER}import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

${inlineOnce(shareFields(shareHints(body)))}`
}

/** Hints that come more than once stand there once. */
function shareHints(body: string): string {
  const found = body.match(/\{ '\d{3}': "[^}]{20,}" \}/g) ?? []
  const twice = [...new Set(found)].filter((text) => body.split(text).length > 2)
  return twice.reduce(
    (text, literal, at) =>
      `const hints${at} = ${literal}\n\n${text.replaceAll(literal, `hints${at}`)}`,
    body,
  )
}

/** A shape that is used once stands where it is used. */
function inlineOnce(body: string): string {
  const shapes = [...body.matchAll(/^const (\w+) = shape`([^`]*)`\n\n/gm)]
  return shapes.reverse().reduce((text, [line, name, inner = '']) => {
    const isOnce = text.split(new RegExp(`\\b${name}\\b`)).length === 3
    if (!isOnce || !text.includes(`\${${name}}`)) return text
    return text.replace(line, '').replace(`\${${name}}`, () => inner)
  }, body)
}

/** A long run of fields that two shapes have in common stands there once. */
function shareFields(body: string): string {
  const shapes = body.match(/(?<=shape`!?{)[^`]+/g) ?? []
  const runs = shapes.flatMap((one, at) =>
    shapes.slice(at + 1).map((other) => commonStart(one, other)),
  )
  const longest = runs.sort((a, b) => b.length - a.length)[0] ?? ''
  if (longest.length < 100) return body
  return `const fields = '${longest}'\n\n${body.replaceAll(longest, '${fields}')}`
}

/** Whole fields, up to the first that has a shape of its own. */
function commonStart(one: string, other: string): string {
  let length = 0
  while (one[length] === other[length] && length < one.length) length += 1
  return /^([\w?,]+:(\w|\[\w\]),)*/.exec(one.slice(0, length))?.[0] ?? ''
}

type Printer = ReturnType<typeof makePrinter>

/** Prints schemas. Those that others refer to by name become constants, each after its own. */
function makePrinter() {
  const named = new Map<string, string>()
  return {
    print(schema: z.ZodType, io: 'input' | 'output'): string {
      const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io }) as Json
      const definitions = Object($defs) as { [name: string]: Json }
      const keep = (name: string) => {
        if (!named.has(name)) named.set(name, printShape(definitions[name] ?? {}, keep))
        return name
      }
      return printShape(root, keep)
    },
    shapes: () => [...named].map(([name, text]) => `const ${name} = ${text}\n\n`).join(''),
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

/** All but what only people and servers read, and what `completeOperation` adds. */
function printOperation(endpoint: Endpoint, printer: Printer, indent: string): string {
  const { params, query, body, response, groupedResponse, ...facts } = endpoint
  const {
    name: _,
    summary: __,
    description: ___,
    errors: ____,
    irreversible: _____,
    ...known
  } = facts
  const { id: ______, wire = {}, ...rest } = known
  // Names that are the same on the wire are there for people, who may have to change them.
  const renamed = Object.entries(wire).filter(([one, other]) => one !== other)
  const written = { ...rest, ...(renamed.length > 0 && { wire: Object.fromEntries(renamed) }) }
  const inputs = params ? printer.print(params, 'input') : standardParams('')
  const shapes = {
    ...(inputs !== standardParams(endpoint.path) && { params: inputs }),
    ...(query && { query: printer.print(query, 'input') }),
    ...(body && { body: printer.print(body, 'input') }),
    response: printer.print(response, 'output'),
    ...(groupedResponse && { groupedResponse: printer.print(groupedResponse, 'output') }),
  }
  const standard: Json = { ...standardOf(endpoint), method: 'GET' }
  const texts = Object.entries(written)
    .filter(([fact, value]) => JSON.stringify(value) !== JSON.stringify(standard[fact]))
    .map(([fact, value]): [string, string] => [fact, printData(value)])
  return printLines([...texts, ...Object.entries(shapes)], indent)
}

/** As the client makes them of a path. */
function standardParams(path: string): string {
  const names = path.match(/(?<={)\w+/g)
  return names ? `shape\`!{${names.join(',')}:s(1-)}\`` : ''
}
