import type * as zod from 'zod'

// The worker has some hundred schemas but needs few of them at its start: most are for files that do not exist, or for
// notifiers that are not used. Creating all of them takes a fifth of the start. So its bundle has these functions in
// place of zod's (scripts/build.ts): they record the calls, and create a schema when it is first used.

type Zod = typeof zod
type Schema = Record<PropertyKey, unknown>
type Call = (...args: unknown[]) => unknown

/** The functions of zod that modules call when they are loaded. The build fails if a module calls any other. */
export const lazyNames = [
  'array',
  'boolean',
  'discriminatedUnion',
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

/** Methods that derive another schema, which are deferred too. Any other property creates the schema at once. */
const derivingMethods = new Set<PropertyKey>([
  'catch',
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
  'trim',
])

/** Methods that are often looked up but not called, as in `schema.parse(JSON.parse(text))` if JSON.parse throws. */
const deferredLookups = new Set<PropertyKey>(['parse', 'safeParse'])

const MADE = Symbol('the schema itself')

/** Deferred versions of zod's functions. `load` is called when the first schema is needed. */
export function lazyZod(load: () => Zod): Pick<Zod, (typeof lazyNames)[number]> {
  const functions = lazyNames.map((name) => {
    const call = (...args: unknown[]) =>
      later(() => (load()[name] as Call)(...args.map(made)) as Schema, shapeOf(name, args))
    return [name, call]
  })
  return Object.fromEntries(functions)
}

/** The field schemas of an object, which modules read from `shape` when they are loaded. */
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
    if (deferredLookups.has(name)) return (...args: unknown[]) => call(name, args)
    if (!derivingMethods.has(name)) return get()[name]
    return (...args: unknown[]) =>
      // Without arguments, `meta()` reads.
      name === 'meta' && args.length === 0
        ? call(name, [])
        : later(() => call(name, args.map(made)) as Schema)
  }
  return new Proxy({}, { get: find })
}

/** Replaces deferred schemas by real ones in an argument for zod, also inside lists and objects. */
function made(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const schema = (value as Partial<Record<typeof MADE, () => Schema>>)[MADE]
  if (schema) return schema()
  if (Array.isArray(value)) return value.map(made)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, made(one)]))
}
