import type * as z from 'zod'
import type { OperationFacts } from '../operation.ts'
import { once } from '../record.ts'

/**
 * The source of an error status of an endpoint: the specification, the public documentation, or only
 * inference from the number of its error bodies and from similar endpoints.
 */
export type ErrorSource = 'specification' | 'documentation' | 'inference'

/** What is known about one endpoint, apart from its schemas. */
interface Facts extends OperationFacts {
  /** Names the types of the input and the response: `RotateKey` for `RotateKeyInput`. */
  name: string
  /** One sentence. The JSDoc of the entry says the same. */
  summary: string
  /** What else a caller should know. */
  description: string
  /** An input that works on a new emulator: for the documents, and for tests. */
  example: Readonly<Record<string, unknown>>
  /** Set if the effect cannot be undone: the action, which the CLI asks the user to confirm. */
  irreversible?: string
  errors: Readonly<Record<number, ErrorSource>>
  /** The page of the public documentation that shows an endpoint which the specification does not have. */
  source?: string
}

interface Schemas {
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodObject
  response: z.ZodType
  /** The response if the input has `groupBy`. */
  groupedResponse?: z.ZodType
}

/** All that is known about one endpoint, as data. Client, emulator, docs and tests come from this record. */
export interface Endpoint extends Facts, Schemas {}

/** Schemas are made when they are first read: making them all would cost 14 ms or more at every start. */
type Definition = Facts & { [Name in keyof Schemas]: () => NonNullable<Schemas[Name]> }

type Built<D> = {
  readonly [Key in keyof D]: Key extends keyof Schemas
    ? D[Key] extends () => infer Schema
      ? Schema
      : D[Key]
    : D[Key]
}

type BracedNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | BracedNames<Rest>
  : never

type ParamNames<D> = D extends { params: () => z.ZodObject<infer Shape> }
  ? keyof Shape & string
  : never

type CheckParams<D extends Definition> = [BracedNames<D['path']>] extends [ParamNames<D>]
  ? [ParamNames<D>] extends [BracedNames<D['path']>]
    ? unknown
    : { params: `not in the path: ${Exclude<ParamNames<D>, BracedNames<D['path']>>}` }
  : { params: `missing: ${Exclude<BracedNames<D['path']>, ParamNames<D>>}` }

const schemaNames = ['params', 'query', 'body', 'response', 'groupedResponse'] as const

/** Declares an endpoint; the compiler checks that `params` has the names in the braces of `path`. */
export function endpoint<const D extends Definition>(definition: D & CheckParams<D>): Built<D> {
  const built: object = { ...definition }
  for (const name of schemaNames) {
    const make = definition[name]
    if (make) Object.defineProperty(built, name, { enumerable: true, get: once<z.ZodType>(make) })
  }
  return built as Built<D>
}

type PartInput<E, Part extends string> = E extends { readonly [K in Part]: infer Schema }
  ? Schema extends z.ZodType
    ? z.input<Schema>
    : unknown
  : unknown

type Flat<T> = { [K in keyof T]: T[K] }

type AnyInput<E> = PartInput<E, 'params'> & PartInput<E, 'query'> & PartInput<E, 'body'>

/** Path, query and body values of an endpoint as one flat object. */
export type Input<E> = unknown extends AnyInput<E> ? Record<string, never> : Flat<AnyInput<E>>

/** The response of an endpoint, including the neutral names that the client adds. */
export type Output<E extends Endpoint> = z.output<E['response']>
