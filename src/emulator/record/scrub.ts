import * as z from 'zod'
import { isObject } from '../../is-object.ts'
import type { MadeUp } from './made-up.ts'

/** The parts of a JSON Schema that decide what is kept of a value. */
interface Node {
  type?: string
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  'x-extensible-enum'?: readonly string[]
  'x-added-by-client'?: true
  anyOf?: readonly Node[]
  oneOf?: readonly Node[]
  $ref?: string
  items?: Node
  properties?: Readonly<Record<string, Node>>
  patternProperties?: Readonly<Record<string, Node>>
  additionalProperties?: Node | boolean
  required?: readonly string[]
  $defs?: Readonly<Record<string, Node>>
}

/** Made once for each schema: a page of a history has a hundred messages. */
const roots = new WeakMap<z.ZodType, Node>()

interface Place {
  field: string
  defs: Readonly<Record<string, Node>>
  madeUp: MadeUp
  /** How a made-up `id` of this very object begins. */
  prefix?: string | undefined
}

/**
 * What may be written of a value: the fields that its schema declares. Of its texts, only the words of enumerations are
 * kept, and all others are made up. What does not fit is left out; undefined if nothing is left.
 */
export function scrub(schema: z.ZodType, value: unknown, madeUp: MadeUp, prefix?: string): unknown {
  const root = roots.get(schema) ?? (z.toJSONSchema(schema, { io: 'output' }) as Node)
  roots.set(schema, root)
  return visit(root, value, { field: '', defs: root.$defs ?? {}, madeUp, prefix })
}

function visit(node: Node, value: unknown, at: Place): unknown {
  if (node.$ref) return visit(at.defs[node.$ref.replace(/^.*\//, '')] ?? {}, value, at)
  const words = node['x-extensible-enum']
  if (words)
    return typeof value === 'string' ? (words.find((one) => one === value) ?? words[0]) : undefined
  if (node.const !== undefined) return value === node.const ? value : undefined
  if (node.enum) return node.enum.find((one) => one === value)
  const variants = node.anyOf ?? node.oneOf
  if (variants) return visit(variantOf(variants, value, at), value, at)
  if (Array.isArray(value)) return node.type === 'array' ? visitItems(node, value, at) : undefined
  if (isObject(value)) return node.type === 'object' ? visitFields(node, value, at) : undefined
  return visitPlain(node, value, at)
}

function visitPlain({ type, format }: Node, value: unknown, { field, madeUp, prefix }: Place) {
  if (type === 'null') return value === null ? null : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'integer') return Number.isSafeInteger(value) ? value : undefined
  if (type === 'number') return Number.isFinite(value) ? value : undefined
  // Of what may be anything, only that it is a text.
  if ((type ?? 'string') !== 'string' || typeof value !== 'string') return undefined
  if (format === 'uuid') return madeUp.uuid(value)
  return madeUp.text(field, value, prefix)
}

function visitItems({ items = {} }: Node, values: readonly unknown[], at: Place) {
  const kept = values.map((value) => visit(items, value, { ...at, prefix: undefined }))
  return kept.filter((value) => value !== undefined)
}

function visitFields(node: Node, value: Record<string, unknown>, at: Place) {
  const { properties, required = [] } = node
  const kept = Object.entries(properties ?? {})
    .filter(([name, field]) => !field['x-added-by-client'] && Object.hasOwn(value, name))
    .map(([name, field]): [string, unknown] => [name, visit(field, value[name], placeOf(name, at))])
    .concat(properties ? companyFields(node, value, at) : otherFields(node, value, at))
    .filter(([, field]) => field !== undefined)
  const names = new Set(kept.map(([name]) => name))
  return required.every((name) => names.has(name)) ? Object.fromEntries(kept) : undefined
}

function placeOf(field: string, at: Place): Place {
  return { ...at, field, prefix: field === 'id' ? at.prefix : undefined }
}

/** Fields under names that the server chooses, which are made up as well. */
function otherFields({ additionalProperties }: Node, value: Record<string, unknown>, at: Place) {
  if (typeof additionalProperties !== 'object') return []
  return Object.entries(value).map(([name, field]): [string, unknown] => [
    at.madeUp.text(at.field, name),
    visit(additionalProperties, field, { ...at, prefix: undefined }),
  ])
}

/** Fields that carry the name of a company, under the name of a made-up one. */
function companyFields(
  { patternProperties = {} }: Node,
  value: Record<string, unknown>,
  at: Place,
) {
  return Object.entries(patternProperties).flatMap(([pattern, node]): [string, unknown][] => {
    const found = Object.keys(value).find((name) => new RegExp(pattern).test(name))
    if (found === undefined) return []
    const ending = pattern.replace(/^.*\+|\$$/g, '')
    const name = `${ending === 'ThoughtSignature' ? 'gemini' : 'openai'}${ending}`
    const variants = [node.type].flat().map((type) => ({ ...node, type: String(type) }))
    return [[name, visit({ anyOf: variants }, value[found], placeOf(name, at))]]
  })
}

/** The variant that a constant of the value names, else the last one that can hold it. */
function variantOf(variants: readonly Node[], value: unknown, { defs }: Place): Node {
  const resolved = variants.map((node) =>
    node.$ref ? (defs[node.$ref.replace(/^.*\//, '')] ?? {}) : node,
  )
  const named = resolved.find(({ properties = {} }) =>
    Object.entries(properties).some(
      ([name, field]) => field.const !== undefined && Object(value)[name] === field.const,
    ),
  )
  if (named) return named
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const holds = (node: Node) => node.type === type || (type === 'number' && node.type === 'integer')
  return resolved.findLast(holds) ?? {}
}
