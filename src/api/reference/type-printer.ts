import * as z from 'zod'
import type { Json } from './json-schema.ts'
import { printField } from './type-field.ts'

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

    names: () => [...declared.keys()],
    /** The declarations of these names. @default all */
    text: (names: readonly string[] = [...declared.keys()]) =>
      names.map((name) => declared.get(name)?.text ?? '').join('\n'),
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
