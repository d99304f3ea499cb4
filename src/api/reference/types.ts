import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, isEndpoint, listEndpoints } from '../endpoints/index.ts'
import { areas } from './labels.ts'
import { HEADER, importsOf } from './module.ts'
import { makeTypePrinter, pascal } from './type-printer.ts'

/** The text of each module, by its path below src/api/types. */
type TypeModules = Readonly<Record<string, string>>

/** The modules with the public types of an area: one for inputs and methods, one per endpoint for its response. */
export function typeModules(area: string, tree: EndpointTree): TypeModules {
  const inputs = makeTypePrinter('input')
  const responses = makeTypePrinter('output')
  const printers: Printers = { inputs, responses, interfaces: [], modules: new Map() }
  printMethods(area, tree, printers)
  const methods = [inputs.text(), ...printers.interfaces].filter(Boolean).join('\n')
  const modules = [...printers.modules].filter(([, names]) => names.length > 0)
  const importsFrom = (folder: string) =>
    modules.map(([file, names]): [string, string[]] => [`${folder}/${file}.ts`, names])
  const head = importsOf(methods, [
    ['../core/api-promise.ts', ['ApiPromise']],
    ['../core/options.ts', ['CallOptions']],
    ['../core/page.ts', ['PageList']],
    ['./open.ts', ['NoInput', 'Open', 'Unlisted']],
    ...importsFrom(`./${kebab(area)}`),
  ])
  const parts = modules.map(([file, names]) => {
    const text = responses.text(names)
    const others = importsFrom('.').filter(([path]) => path !== `./${file}.ts`)
    const imports = importsOf(text, [['../open.ts', ['Open', 'Unlisted']], ...others])
    return [`${kebab(area)}/${file}.ts`, `${HEADER}${imports}\n${text}`] as const
  })
  return { [`${kebab(area)}.ts`]: `${HEADER}${head}\n${methods}`, ...Object.fromEntries(parts) }
}

/** The module that exports the types of all areas. */
export function typesIndex(names: readonly string[], paths: readonly string[]): string {
  const exported = paths.map((path) => `export type * from './${path}'\n`)
  const imports = names.map(
    (area) => `import type { ${pascal(area)}Api } from './${kebab(area)}.ts'\n`,
  )
  const fields = areas.map(
    ({ name, about }) => `  /** ${about}. */\n  readonly ${name}: ${pascal(name)}Api\n`,
  )
  return `${HEADER}${imports.join('')}
${exported.join('')}export type { NoInput, Open, Unlisted } from './open.ts'
export type { EndpointId } from './endpoint-id.ts'

/** The methods of a client, one for each endpoint. */
export interface EndpointMethods {
${fields.join('')}}
`
}

/** The module with the IDs. It imports nothing, so that the options of the client can use it. */
export function endpointIdModule(): string {
  const ids = listEndpoints().map(({ id }) => `\n  | '${id}'`)
  return `${HEADER}
/** The \`id\` of an endpoint: the path of its method in the client. */
export type EndpointId =${ids.join('')}
`
}

interface Printers {
  inputs: ReturnType<typeof makeTypePrinter>
  responses: ReturnType<typeof makeTypePrinter>
  interfaces: string[]
  /** The names of the response types that each endpoint declares first, by module. */
  modules: Map<string, string[]>
}

/** Adds the interface of a part of the table, after those of its own parts. Returns its name. */
function printMethods(path: string, tree: EndpointTree, printers: Printers): string {
  const members = Object.entries(tree).map(([name, node]) =>
    isEndpoint(node)
      ? printMethod(name, node, printers)
      : `  readonly ${name}: ${printMethods(`${path}.${name}`, node, printers)}\n`,
  )
  const name = `${path.split('.').map(pascal).join('')}Api`
  const about =
    areas.find((area) => area.name === path)?.about ?? `Part of \`${path.split('.')[0]}\``
  printers.interfaces.push(`/** ${about}. */\nexport interface ${name} {\n${members.join('')}}\n`)
  return name
}

function printMethod(method: string, endpoint: Endpoint, printers: Printers): string {
  const { responses, modules } = printers
  const before = responses.names().length
  const text = printSignatures(method, endpoint, printers)
  modules.set(kebab(endpoint.name), responses.names().slice(before))
  return text
}

function printSignatures(method: string, endpoint: Endpoint, printers: Printers): string {
  const { inputs, responses } = printers
  const { response, groupedResponse, method: verb, page } = endpoint
  const [input, ...grouped] = inputTypes(endpoint, inputs)
  const name = `${endpoint.name}Response`
  const gets = responses.add(name, response, verb === 'DELETE' ? replayed : '')
  const line = (given: string, got: string) =>
    `  ${method}(${given}, options?: CallOptions): ${resultOf(got, page, responses)}\n`
  if (!groupedResponse) return docOf(endpoint) + line(input ?? '', gets)
  const getsGroups = responses.add(`Grouped${name}`, groupedResponse)
  const [group = ''] = grouped
  const either = `input: ${endpoint.name}Input | Grouped${endpoint.name}Input`
  return [
    docOf(endpoint) + line(input ?? '', gets),
    docOf(endpoint, ' Grouped: one row per value of the dimension and day.') +
      line(group, getsGroups),
    docOf(endpoint) + line(either, `${gets} | ${getsGroups}`),
  ].join('')
}

const replayed = `  /** Set if the first response was lost and a retry found nothing left to delete. */
  replayed?: true
`

/** The parameter of a method, and for rows that can be grouped also that of the grouped call. */
function inputTypes(endpoint: Endpoint, inputs: Printers['inputs']): string[] {
  const { name, params, query, body, passthrough, groupedResponse } = endpoint
  const parts = [params, query, body].flatMap((schema) => (schema ? [schema] : []))
  if (parts.length === 0) return ['input?: NoInput']
  const about = `Input of \`${endpoint.id}\`.`
  const isRequired = inputs.addParts(
    `${name}Input`,
    about,
    parts,
    passthrough ?? false,
    groupedResponse && 'none',
  )
  const plain = `input${isRequired ? '' : '?'}: ${name}Input`
  if (!groupedResponse) return [plain]
  inputs.addParts(`Grouped${name}Input`, `${about} With groups.`, parts, false, 'some')
  return [plain, `input: Grouped${name}Input`]
}

function resultOf(type: string, page: Endpoint['page'], responses: Printers['responses']): string {
  if (!page) return `ApiPromise<${type}>`
  return `PageList<${type}, ${responses.itemOf(type, page.items)}>`
}

function docOf({ summary, description, method, path }: Endpoint, more = ''): string {
  const lines = [summary + more, ...(description ? [description] : []), `\`${method} ${path}\``]
  return `  /**\n${lines.map((line) => `   * ${line}\n`).join('   *\n')}   */\n`
}

/** `serviceAccounts` and `TokenUsage` as `service-accounts` and `token-usage`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter, at) => `${at > 0 ? '-' : ''}${letter.toLowerCase()}`)
}

/** Checks that the names of all endpoints differ, since the names of their types are made from them. */
export function checkNames() {
  const names = listEndpoints().map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice) throw new Error(`two endpoints are named ${twice}`)
}
