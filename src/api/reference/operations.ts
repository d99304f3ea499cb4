import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, isEndpoint } from '../endpoints/index.ts'
import { defaultFactsOf } from '../operation.ts'
import type { Json } from './json-schema.ts'
import { HEADER } from './module.ts'
import { printData } from './print-code.ts'
import { shortForm } from './shape.ts'

/** The module that exports the operations of all areas. */
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
  const short = inlineOnce(shareFields(shareFacts(body)))
  // A template that only contains a name becomes that name.
  const plain = short.replaceAll(/`\${(\w+)}`/g, '$1')
  return `${HEADER}import type { OperationTree } from '../operation.ts'\n\n${plain}`
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
const LEFT_OUT = ['id', 'name', 'summary', 'description', 'errors', 'irreversible']

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
