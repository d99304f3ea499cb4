import * as z from 'zod'
import { once } from './once.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `base` serves the API, `app` serves the readiness reports. Both origins are options of the client. */
export type Host = 'base' | 'app'

/**
 * `safe`: a second copy of the request changes nothing more, so a lost answer may be asked for again.
 * `never`: not proven harmless. Only a request that cannot have been carried out may be sent again.
 */
export type RetryClass = 'safe' | 'never'

/**
 * Who says that the endpoint answers with a status: the specification, the public documentation,
 * or only the number of its error bodies and its neighbours.
 */
export type ErrorSource = 'specification' | 'documentation' | 'inference'

/** How a list goes on. Paths into the response are dotted. */
export interface PageStyle {
  /** Where the items are. */
  items: string
  /** Where the next cursor comes from: a path into the response, or a field of the last item. */
  next: { from: 'response'; path: string } | { from: 'last-item'; field: string }
  /** Path of the flag that says whether there is more. */
  hasMore?: string
  /** The inputs that carry the cursor and the page size. */
  cursor: string
  size: string
  /**
   * `no-cursor`: over when the flag is false or there is no next cursor.
   * `short-page`: over when a page has fewer items than asked for, or none.
   */
  end: 'no-cursor' | 'short-page'
}

/** What is known of one endpoint apart from its schemas. */
interface Facts {
  /** The path of the method in the client: `serviceAccounts.keys.rotate`. */
  id: string
  method: Method
  /** Names in `{braces}` are the keys of `params`. */
  path: string
  /** A second address of the same resource, to be tried when `path` answers 404. */
  alternatePath?: string
  host: Host
  /** One sentence. The JSDoc of the entry says the same. */
  summary: string
  description?: string
  /** Inputs that nobody declared are sent as they are: in the body if there is one, else in the query. */
  passthrough?: true
  /** Input name to name on the wire, where they differ or where the name may turn out to be another. */
  wire?: Readonly<Record<string, string>>
  success: readonly number[]
  /** The answer may be empty, which counts as `{}`. */
  emptyResponse?: true
  /** Adds neutral names to an answer. Pure, keeps all fields, returns what it does not know as it is. */
  normalize?: (response: unknown) => unknown
  retry: RetryClass
  errors: Readonly<Record<number, ErrorSource>>
  /** What a person can do about a status. */
  hints?: Readonly<Record<number, string>>
  page?: PageStyle
}

interface Schemas {
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodObject
  response: z.ZodType
}

/** All that is known of one endpoint, as data. Client, emulator, docs and tests read the same record. */
export interface Endpoint extends Facts, Schemas {}

/** Schemas are made when they are first read: to make them all would cost 14 ms or more at every start. */
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

const schemaNames = ['params', 'query', 'body', 'response'] as const

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

/** The leading arguments of a client method: the input may be left out when nothing in it is required. */
export type InputArguments<E> =
  Record<never, never> extends Input<E> ? [input?: Input<E>] : [input: Input<E>]

/** The answer of an endpoint, including the neutral names that the client adds. */
export type Output<E extends Endpoint> = z.output<E['response']>

/** One entry of a paginated list. */
export type Item<E extends Endpoint> = E extends { page: { items: infer Key } }
  ? Key extends keyof Output<E>
    ? Output<E>[Key] extends readonly (infer One)[]
      ? One
      : never
    : never
  : never

/** A string with known values that may get more: editors suggest the known ones, every string passes. */
export type Open<Value extends string> = Value | (string & {})

/** Declares a string whose list of values is known to be incomplete, or may grow. */
export function openEnum<const Value extends string>(values: readonly Value[]) {
  const schema: unknown = z.string().meta({ 'x-extensible-enum': [...values] })
  return schema as z.ZodType<Open<Value>, Open<Value>>
}
