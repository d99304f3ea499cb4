import * as z from 'zod'
import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { isSecretFlag } from '../../cli/check-flags.ts'

/** An input of an endpoint as a flag of the command line. */
export interface Flag {
  /** The name of the input: `sessionId`. */
  input: string
  /** `--session-id` */
  name: string
  /** `json`: a list or an object, which only `--body` can carry. */
  kind: 'text' | 'number' | 'json'
  isNullable: boolean
  isRequired: boolean
  description: string
  /** Placeholder of the value in the help. */
  hint: string
  /** The fields of a list or an object, such as `[{email, limit}]`. */
  shape: string
}

interface FieldSchema {
  $ref?: string
  type?: string
  anyOf?: FieldSchema[]
  enum?: string[]
  default?: unknown
  description?: string
  items?: FieldSchema
  properties?: Record<string, FieldSchema>
  required?: string[]
}

type Definitions = Readonly<Record<string, FieldSchema>>

const parts = ['params', 'query', 'body'] as const

/** The flags of an endpoint, from its schemas. */
export function flagsOf(endpoint: Endpoint): Flag[] {
  return parts.flatMap((part) => {
    const schema = endpoint[part]
    if (!schema) return []
    const { properties = {}, required = [], $defs } = z.toJSONSchema(schema, { io: 'input' })
    return Object.entries(properties).map(([input, field]) => {
      const isRequired = required.includes(input)
      return makeFlag(input, field as FieldSchema, isRequired, $defs as Definitions)
    })
  })
}

const reserved = ['--all', '--body', '--json', '--table', '--yes', '--help']

/** If the inputs of an endpoint are not documented, every other flag is an input. */
export function undocumentedFlags(
  { passthrough }: Endpoint,
  known: readonly Flag[],
  words: readonly string[],
): Flag[] {
  if (!passthrough) return []
  const taken = [...reserved, ...known.map(({ name }) => name)]
  const names = words
    .filter((word) => /^--[a-z]/.test(word))
    .map((word) => word.split('=')[0] ?? word)
    .filter((name) => !taken.includes(name) && !isSecretFlag(name))
  return [...new Set(names)].map((name) => ({
    input: name.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    name,
    kind: 'text',
    isNullable: false,
    isRequired: false,
    description: 'Not documented: sent as it is',
    hint: 'TEXT',
    shape: '',
  }))
}

/** `sessionId` as `--session-id`. */
export function flagName(input: string): string {
  return `--${input.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function makeFlag(
  input: string,
  field: FieldSchema,
  isRequired: boolean,
  definitions: Definitions = {},
): Flag {
  const variants = field.anyOf ?? [field]
  const type = variants.find((variant) => variant.type !== 'null')?.type
  const kind = type === 'integer' || type === 'number' ? 'number' : undefined
  const defaultText = field.default === undefined ? '' : ` (default ${field.default})`
  return {
    input,
    name: flagName(input),
    kind: kind ?? (type === 'string' ? 'text' : 'json'),
    isNullable: variants.some((variant) => variant.type === 'null'),
    isRequired,
    description: `${field.description ?? ''}${defaultText}`,
    hint: field.enum ? field.enum.join('|') : (kind ?? 'text').toUpperCase(),
    shape: shapeOf(field, definitions),
  }
}

/** The names of an object's fields, optional ones with a question mark; empty for a plain type. */
function shapeOf(schema: FieldSchema, definitions: Definitions): string {
  const {
    items,
    properties,
    required = [],
  } = definitions[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
  if (items) return `[${shapeOf(items, definitions) || '…'}]`
  if (!properties) return ''
  const names = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    const shape = shapeOf(field, definitions)
    return `${name}${mark}${shape && `: ${shape}`}`
  })
  return `{${names.join(', ')}}`
}
