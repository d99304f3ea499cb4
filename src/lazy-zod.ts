import type * as zod from 'zod'

// The worker has some hundred schemas and needs few of them at a start: what reads files that are not there, the options
// of notifiers that nobody uses. To make all of them takes a fifth of that start. So its bundle has these functions in the
// place of zod's (scripts/build.ts): they remember what is to be made, and make it when somebody asks the schema something.

type Zod = typeof zod
type Schema = Record<PropertyKey, unknown>
type Call = (...args: unknown[]) => unknown

/** What is called of the package at the top of modules. A call of anything else is an error of the build. */
export const lazyNames = [
  'array',
  'boolean',
  'discriminatedUnion',
  'email',
  'enum',
  'int',
  'literal',
  'number',
  'object',
  'record',
  'strictObject',
  'string',
  'union',
  'unknown',
  'url',
] as const satisfies (keyof Zod)[]

/** Methods of a schema that make another one of it. Any other makes the schema at once. */
const makers = new Set<PropertyKey>([
  'default',
  'describe',
  'exactOptional',
  'max',
  'meta',
  'min',
  'nonnegative',
  'nullish',
  'optional',
  'positive',
  'prefault',
  'refine',
  'regex',
  'superRefine',
])

/** Those that are often named without being called, as in `schema.parse(JSON.parse(text))` where there is no text. */
const questions = new Set<PropertyKey>(['parse', 'safeParse'])

const MADE = Symbol('the schema itself')

/** The functions of zod by name, which `load` is asked for with the first schema that is needed. */
export function lazyZod(load: () => Zod): Pick<Zod, (typeof lazyNames)[number] | 'regexes'> {
  const functions = lazyNames.map((name) => {
    const call = (...args: unknown[]) =>
      later(() => (load()[name] as Call)(...args.map(made)) as Schema, shapeOf(name, args))
    return [name, call]
  })
  const regexes = new Proxy({}, { get: (_, name) => later(() => Object(load().regexes)[name]) })
  return Object.assign(Object.fromEntries(functions), { regexes })
}

/** Of an object the schemas of its fields, which are asked for at the top of modules. */
function shapeOf(name: string, [shape]: readonly unknown[]): unknown {
  return name === 'object' || name === 'strictObject' ? shape : undefined
}

function later(make: () => Schema, shape?: unknown): object {
  let schema: Schema | undefined
  const get = () => {
    schema ??= make()
    return schema
  }
  const call = (name: PropertyKey, args: unknown[]) => (get()[name] as Call)(...args)
  const find = (_: object, name: PropertyKey) => {
    if (name === MADE) return get
    if (name === 'shape' && shape) return shape
    if (questions.has(name)) return (...args: unknown[]) => call(name, args)
    if (!makers.has(name)) return get()[name]
    return (...args: unknown[]) =>
      // `meta()` asks.
      name === 'meta' && args.length === 0
        ? call(name, [])
        : later(() => call(name, args.map(made)) as Schema)
  }
  return new Proxy({}, { get: find })
}

/** What zod is given: schemas, also in lists and by names, in the place of what stands for them. */
function made(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const schema = (value as Partial<Record<typeof MADE, () => Schema>>)[MADE]
  if (schema) return schema()
  if (Array.isArray(value)) return value.map(made)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, made(one)]))
}
