import * as z from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type EndpointTree, everything, isEndpoint, listEndpoints } from '../endpoints/index.ts'
import { isSafeBound, type Json } from './json-schema.ts'
import { allAreas } from './openapi.ts'
import { HEADER } from './operations.ts'

/** The module with the public types: inputs, methods, responses, and the IDs of the endpoints. */
export function typesModule(): string {
  checkNames()
  const inputs = makeTypePrinter('input')
  const responses = makeTypePrinter('output')
  const printers: Printers = { inputs, responses, interfaces: [] }
  for (const [area, tree] of Object.entries(everything)) printMethods(area, tree, printers)
  const fields = allAreas.map(
    ({ name, about }) => `  /** ${about}. */\n  readonly ${name}: ${pascal(name)}Api\n`,
  )
  return [
    IMPORTS,
    '/** The methods of a client, one for each endpoint. */',
    `export interface EndpointMethods {\n${fields.join('')}}\n`,
    ...printers.interfaces,
    inputs.text(),
    responses.text(),
    BASICS,
  ].join('\n')
}

const IMPORTS = `${HEADER}import type { ApiPromise } from './core/api-promise.ts'
import type { CallOptions } from './core/options.ts'
import type { PageList } from './core/page.ts'

export type { EndpointId } from './operations.ts'
`

const BASICS = `/** A string whose known values may be extended: editors suggest the known ones, every string is accepted. */
export type Open<Value extends string> = Value | (string & {})

declare const unlisted: unique symbol

/**
 * A string that this version does not know. Not declared as a string, since the compiler could then not narrow the
 * known ones: \`block.type === 'text'\` would not make \`block\` a \`TextBlock\`. \`String(…)\` gives its text.
 */
export interface Unlisted {
  readonly [unlisted]: true
  toString(): string
}

/** The input of an endpoint that takes none. */
export type NoInput = Readonly<Record<string, never>>
`

interface Printers {
  inputs: ReturnType<typeof makeTypePrinter>
  responses: ReturnType<typeof makeTypePrinter>
  interfaces: string[]
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
    allAreas.find((area) => area.name === path)?.about ?? `Part of \`${path.split('.')[0]}\``
  printers.interfaces.push(`/** ${about}. */\nexport interface ${name} {\n${members.join('')}}\n`)
  return name
}

function printMethod(method: string, endpoint: Endpoint, printers: Printers): string {
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

function docOf({ summary, description, method, path, source }: Endpoint, more = ''): string {
  const request = `\`${method} ${path}\`${source ? ` (public documentation: ${source})` : ''}`
  const lines = [summary + more, ...(description ? [description] : []), request]
  return `  /**\n${lines.map((line) => `   * ${line}\n`).join('   *\n')}   */\n`
}

/** Checks that the names of all endpoints differ, since the names of their types are made from them. */
function checkNames() {
  const names = listEndpoints(everything).map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice) throw new Error(`two endpoints are named ${twice}`)
}

/** Prints zod schemas as interfaces with names, each once, in the order in which they are first used. */
export function makeTypePrinter(io: 'input' | 'output') {
  const declared = new Map<string, { text: string; fields: Json }>()
  const definitions: { [name: string]: Json } = {}

  /** The type of a schema. An object that has no name of its own is declared as `name`. */
  function typeOf(schema: Json, name: string): string {
    if (typeof schema.$ref === 'string') return named(schema.$ref.replace('#/$defs/', ''))
    const variants = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
    if (variants) return unionOf(variants, name)
    if ('const' in schema) return quote(schema.const)
    if (Array.isArray(schema.enum)) return schema.enum.map(quote).join(' | ')
    if (schema.type === 'array') {
      const list = arrayOf(typeOf((schema.items ?? {}) as Json, singular(name)))
      return io === 'input' ? `readonly ${list}` : list
    }
    if (schema.type === 'object') return objectOf(schema, name)
    return plainType(schema)
  }

  function unionOf(variants: readonly Json[], name: string): string {
    return variants.map((one, at) => typeOf(one, at === 0 ? name : `Other${name}`)).join(' | ')
  }

  function objectOf(schema: Json, name: string): string {
    const { properties, additionalProperties } = schema
    if (!properties && typeof additionalProperties === 'object')
      return `Record<string, ${typeOf(additionalProperties as Json, singular(name))}>`
    if (!properties) return 'Record<string, unknown>'
    declare(name, schema)
    return name
  }

  function named(id: string): string {
    const schema = definitions[id] ?? {}
    if (declared.has(id)) return id
    if (schema.properties) declare(id, schema)
    else {
      declared.set(id, { text: '', fields: {} })
      const text = `${docLine(schema)}export type ${id} =\n  | ${typeOf(schema, id).replaceAll(' | ', '\n  | ')}\n`
      declared.set(id, { text, fields: {} })
    }
    return id
  }

  function declare(name: string, schema: Json, extra = '', about = docLine(schema)) {
    if (declared.has(name)) return
    // Registered before its fields are printed, since they may refer to it.
    declared.set(name, { text: '', fields: {} })
    const required = (schema.required ?? []) as string[]
    const fields = (schema.properties ?? {}) as Json
    const lines = Object.entries(fields).map(([field, value]) => {
      const type = typeOf(value as Json, name + pascal(field))
      return printField(field, type, value as Json, required.includes(field), io === 'input')
    })
    const text = `${about}export interface ${name} {\n${lines.join('')}${extra}}\n`
    declared.set(name, { text, fields })
  }

  function read(schema: z.ZodType): Json {
    const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io }) as Json
    Object.assign(definitions, $defs)
    return root
  }

  return {
    /** Declares the type of a response. Returns its name, or the type itself if it has none. */
    add(name: string, schema: z.ZodType, extra = ''): string {
      const root = read(schema)
      if (root.type === 'object' && root.properties && !root.$ref && !root.id) {
        declare(name, root, extra)
        return name
      }
      const id = typeof root.id === 'string' ? root.id : undefined
      if (id) definitions[id] = root
      return id ? named(id) : typeOf(root, name)
    },

    /** Declares one flat input of several parts. Returns whether any of its fields is required. */
    addParts(
      name: string,
      about: string,
      parts: readonly z.ZodType[],
      isOpen: boolean,
      groups?: 'none' | 'some',
    ): boolean {
      const roots = parts.map(read)
      const properties: Json = Object.assign({}, ...roots.map((root) => root.properties))
      const required = roots.flatMap((root) => (root.required ?? []) as string[])
      if (groups === 'none') delete properties.groupBy
      if (groups === 'some') required.push('groupBy')
      const noGroups = '  /** If left out, the rows are not grouped. */\n  groupBy?: undefined\n'
      const anything =
        '  /** Undocumented inputs are sent unchanged. */\n  [name: string]: unknown\n'
      const extra = (groups === 'none' ? noGroups : '') + (isOpen ? anything : '')
      declare(name, { properties, required }, extra, `/** ${about} */\n`)
      return required.length > 0
    },

    /** The type of the items of a list in a declared type. */
    itemOf(type: string, field: string): string {
      const items = Object(declared.get(type)?.fields[field]).items as Json
      return typeOf(items ?? {}, type + pascal(singular(field)))
    },

    text: () => [...declared.values()].map(({ text }) => text).join('\n'),
  }
}

/** `by_tool` as `ByTool`. */
export function pascal(name: string): string {
  return name.replaceAll(/(^|_)([a-z])/gi, (_, __, letter: string) => letter.toUpperCase())
}

function docLine({ description }: Json): string {
  return description ? `/** ${description}. */\n` : ''
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

function arrayOf(item: string): string {
  return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`
}

const quote = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

function plainType(schema: Json): string {
  const { type, not } = schema
  const values = schema['x-extensible-enum']
  if (Array.isArray(values)) return `Open<${values.map(quote).join(' | ')}>`
  if (not) return 'Unlisted'
  if (type === undefined) return 'unknown'
  return [type]
    .flat()
    .map((one) => (one === 'integer' ? 'number' : String(one)))
    .join(' | ')
}

/** One field of an interface, with its JSDoc. */
export function printField(
  name: string,
  type: string,
  schema: Json,
  isRequired: boolean,
  isInput: boolean,
): string {
  // Allows an explicit `undefined`, also under `exactOptionalPropertyTypes`.
  const value = isInput && !isRequired && type !== 'unknown' ? `${type} | undefined` : type
  return `${fieldDoc(schema)}  ${name}${isRequired ? '' : '?'}: ${value}\n`
}

const tags: readonly [keyword: string, tag: string][] = [
  ['minimum', '@minimum'],
  ['exclusiveMinimum', '@exclusiveMinimum'],
  ['maximum', '@maximum'],
  ['minLength', '@minLength'],
  ['maxLength', '@maxLength'],
  ['minItems', '@minItems'],
  ['maxItems', '@maxItems'],
  ['format', '@format'],
  ['default', '@default'],
]

function fieldDoc(schema: Json): string {
  const variants = (schema.anyOf as Json[] | undefined) ?? []
  const limits: Json = { ...variants[0], ...schema }
  const known = tags.flatMap(([keyword, tag]) => {
    const value = limits[keyword]
    const isKnown = value !== undefined && !isSafeBound(value)
    return isKnown && !saysNothing(keyword, value) ? [`${tag} ${String(value)}`] : []
  })
  const text = [limits.description ? `${limits.description}.` : '', ...known].filter(Boolean)
  return text.length > 0 ? `  /** ${text.join(' ')} */\n` : ''
}

function saysNothing(keyword: string, value: unknown): boolean {
  return keyword === 'minLength' && value === 1
}
