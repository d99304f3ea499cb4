import * as z from 'zod'
import type { Endpoint } from '../api/index.ts'

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
  /** Stands for the value in the help. */
  hint: string
}

interface FieldSchema {
  type?: string
  anyOf?: FieldSchema[]
  enum?: string[]
  default?: unknown
  description?: string
}

const parts = ['params', 'query', 'body'] as const

/** The flags of an endpoint, from its schemas. */
export function flagsOf(endpoint: Endpoint): Flag[] {
  return parts.flatMap((part) => {
    const schema = endpoint[part]
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
    return Object.entries(properties).map(([input, field]) =>
      makeFlag(input, field as FieldSchema, required.includes(input)),
    )
  })
}

/** `sessionId` as `--session-id`. */
export function flagName(input: string): string {
  return `--${input.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function makeFlag(input: string, field: FieldSchema, isRequired: boolean): Flag {
  const variants = field.anyOf ?? [field]
  const type = variants.find((variant) => variant.type !== 'null')?.type
  const kind = type === 'integer' || type === 'number' ? 'number' : undefined
  const standard = field.default === undefined ? '' : ` (default ${field.default})`
  return {
    input,
    name: flagName(input),
    kind: kind ?? (type === 'string' ? 'text' : 'json'),
    isNullable: variants.some((variant) => variant.type === 'null'),
    isRequired,
    description: `${field.description ?? ''}${standard}`,
    hint: field.enum ? field.enum.join('|') : (kind ?? 'text').toUpperCase(),
  }
}
