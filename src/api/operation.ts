import { type Shape, shape } from './validation/shape.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `base` serves the API, `app` serves the readiness reports. Both origins are options of the client. */
export type Host = 'base' | 'app'

/**
 * `safe`: a second copy of the request changes nothing more, so a lost answer may be asked for again.
 * `never`: not proven harmless. Only a request that cannot have been carried out may be sent again.
 */
export type RetryClass = 'safe' | 'never'

/** How a list goes on. Paths into the response are dotted; `-1` is the last item of a list. */
export interface PageStyle {
  /** Where the items are. */
  items: string
  /** Where the next cursor is. */
  next: string
  /** Path of the flag that says whether there is more. Without one, only an empty page is the end. */
  hasMore?: string
  /** The input that carries the cursor. */
  cursor: string
}

/** What it takes to call an endpoint, apart from the shapes of what is sent and answered. */
export interface OperationFacts {
  /** The path of the method in the client: `serviceAccounts.keys.rotate`. */
  id: string
  method: Method
  /** Names in `{braces}` are the keys of `params`. */
  path: string
  /** A second address of the same resource, to be tried when `path` answers 404. */
  alternatePath?: string
  host: Host
  /** Inputs that nobody declared are sent as they are: in the body if there is one, else in the query. */
  passthrough?: true
  /** Input name to name on the wire, where they differ or where the name may turn out to be another. */
  wire?: Readonly<Record<string, string>>
  /** With 204, the response may be empty, which counts as `{}`. */
  success: readonly number[]
  retry: RetryClass
  /** Unknown inputs are refused instead of sent, as the specification says. */
  strictInput?: true
  /** What a person can do about a status. */
  hints?: Readonly<Record<number, string>>
  page?: PageStyle
}

/** An endpoint as the client knows it. */
export interface Operation extends OperationFacts {
  params?: Shape | undefined
  query?: Shape | undefined
  body?: Shape | undefined
  response: Shape
  /** The response if the input has `groupBy`. */
  groupedResponse?: Shape | undefined
}

/** What most operations have. The written ones leave it out. */
export function standardOf({ method = 'GET', path }: { method?: Method; path: string }) {
  const names = path.match(/(?<={)\w+/g)
  return {
    method,
    host: 'base' as Host,
    success: [200] as readonly number[],
    // A second copy of what a POST does would be a second of it.
    retry: (method === 'POST' ? 'never' : 'safe') as RetryClass,
    params: names ? `!{${names}:s(1-)}` : undefined,
  }
}

type Standard = ReturnType<typeof standardOf>

/**
 * An operation as `npm run gen` writes it from its entry in the table: without its ID, which its place gives, without
 * what is standard, and with shapes in their short form.
 */
export type WrittenOperation = Omit<OperationFacts, 'id' | keyof Standard> &
  Partial<Pick<OperationFacts, Exclude<keyof Standard, 'params'>>> &
  WrittenShapes

type ShapeName = Exclude<keyof Operation, keyof OperationFacts>
type WrittenShapes = { readonly [Name in ShapeName]?: string } & { readonly response: string }

/** Operations and further parts by name, at the places of the methods of a client. */
export interface OperationTree {
  readonly [name: string]: WrittenOperation | OperationTree
}

/** Tells an operation from a part of the tree. */
export function isOperation(node: WrittenOperation | OperationTree): node is WrittenOperation {
  return typeof node.path === 'string'
}

const shapeNames = 'params query body response groupedResponse'.split(' ')

/** Reads the shapes of an operation, which takes longer than to make a client: so at its first call. */
export function completeOperation(id: string, written: WrittenOperation): Operation {
  const operation: { [name: string]: unknown } = { id, ...standardOf(written), ...written }
  for (const name of shapeNames) {
    const text = operation[name]
    if (text) operation[name] = shape(String(text))
  }
  return operation as unknown as Operation
}
