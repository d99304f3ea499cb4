import fc from 'fast-check'
import * as z from 'zod'
import { isEmail } from '../../src/api/validation/shape.ts'
import { anyCharacter } from '../support/any-character.ts'

interface Node {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Node[]
  oneOf?: readonly Node[]
  $ref?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  items?: Node
  minItems?: number
  maxItems?: number
  properties?: Readonly<Record<string, Node>>
  required?: readonly string[]
  additionalProperties?: Node | boolean
  $defs?: Readonly<Record<string, Node>>
}

/** Excludes `__proto__`, the only key that JSON.parse treats differently from an object literal. */
const key = fc.string({ maxLength: 6 }).filter((name) => name !== '__proto__')
export const anyJson = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)))

/** Values that a schema accepts. Strings are well-formed Unicode, since a path or query needs that. */
export function valuesOf(schema: z.ZodType, io: 'input' | 'output'): fc.Arbitrary<unknown> {
  const root = z.toJSONSchema(schema, { io }) as Node
  return arbitraryOf(root, root.$defs ?? {}).filter((value) => schema.safeParse(value).success)
}

function arbitraryOf(node: Node, defs: Readonly<Record<string, Node>>): fc.Arbitrary<unknown> {
  const go = (child: Node) => arbitraryOf(child, defs)
  if (node.$ref) return go(defs[node.$ref.replace(/^.*\//, '')] ?? {})
  if (node.const !== undefined) return fc.constant(node.const)
  if (node.enum) return fc.constantFrom(...node.enum)
  const variants = node.anyOf ?? node.oneOf
  if (variants) return fc.oneof(...variants.map(go))
  if (node.type === 'object') return objectOf(node, go)
  if (node.type === 'array')
    return fc.array(go(node.items ?? {}), {
      minLength: node.minItems ?? 0,
      maxLength: Math.min(node.maxItems ?? 3, (node.minItems ?? 0) + 3),
    })
  if (node.type === 'string') return stringOf(node)
  if (node.type === 'integer') return integerOf(node)
  if (node.type === 'number')
    return fc.double({ min: node.minimum ?? -1e9, max: 1e9, noNaN: true }).map((n) => n || 0)
  if (node.type === 'boolean') return fc.boolean()
  if (node.type === 'null') return fc.constant(null)
  return anyJson
}

function objectOf(node: Node, go: (child: Node) => fc.Arbitrary<unknown>) {
  const { properties = {}, required = [], additionalProperties } = node
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, child]) => [name, go(child)]),
  )
  const known = fc.record(fields, { requiredKeys: [...required], noNullPrototype: true })
  if (typeof additionalProperties !== 'object' || Object.keys(properties).length > 0) return known
  return fc.dictionary(key, go(additionalProperties), { maxKeys: 3, noNullPrototype: true })
}

function stringOf({ format, minLength = 0, maxLength = 20 }: Node): fc.Arbitrary<string> {
  if (format === 'date')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
  if (format === 'email') return fc.emailAddress().filter(isEmail)
  if (format === 'uuid') return fc.uuid()
  const size = { minLength, maxLength: Math.min(maxLength, 20) }
  return fc.string({ unit: anyCharacter, ...size }).filter((text) => text !== '.' && text !== '..')
}

function integerOf({ minimum, maximum, exclusiveMinimum }: Node): fc.Arbitrary<number> {
  const min = exclusiveMinimum === undefined ? (minimum ?? -1e9) : exclusiveMinimum + 1
  return fc.integer({ min: Math.max(min, -1e9), max: Math.min(maximum ?? 1e9, 1e9) })
}
