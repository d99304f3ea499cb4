import { type Shape, shape } from './validation/shape.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `base` serves the API, `app` serves the readiness reports. Both origins are options of the client. */
export type Host = 'base' | 'app'

/**
 * `safe`: sending the request twice has the effect of once, so it is retried when the response is lost.
 * `never`: not proven harmless. The request is retried only if it was not sent, or the caller allows more.
 */
export type RetryClass = 'safe' | 'never'

/** How a list is paginated. Paths into the response are dotted; `-1` is the last item of a list. */
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

/** What is needed to call an endpoint, apart from the shapes of its input and response. */
export interface OperationFacts {
  /** The path of the method in the client: `serviceAccounts.keys.rotate`. */
  id: string
  method: Method
  /** Names in `{braces}` are the keys of `params`. */
  path: string
  /** Another path of the same resource, tried when `path` answers 404. */
  alternatePath?: string
  host: Host
  /** Undeclared inputs are expected and sent unchanged: in the body if there is one, else in the query. */
  passthrough?: true | undefined
  /** Maps input names to names in the request, where they differ or the name in the request is uncertain. */
  wire?: Readonly<Record<string, string>>
  /** With 204, the response may be empty, which counts as `{}`. */
  success: readonly number[]
  retry: RetryClass
  /** Unknown inputs are refused instead of sent, as the specification says. */
  strictInput?: true
  /** What the user can do about an error, by status. */
  hints?: Readonly<Record<number, string>>
  page?: PageStyle
}

/** An endpoint as the client knows it. */
export interface Operation extends OperationFacts {
  params?: Shape | undefined
  query?: Shape | undefined
  body?: Shape | undefined
  /** Left out if it is not documented. */
  response?: Shape | undefined
  /** The response if the input has `groupBy`. */
  groupedResponse?: Shape | undefined
}

/** Default facts of an operation. Generated operations leave them out. */
export function defaultFactsOf(method: Method, path: string, input?: string) {
  const names = path.match(/(?<={)\w+/g)
  return {
    host: 'base' as Host,
    success: (method === 'DELETE' ? [200, 204] : [200]) as readonly number[],
    // A second copy of a POST may take effect a second time.
    retry: (method === 'POST' ? 'never' : 'safe') as RetryClass,
    passthrough: input === '{}' || undefined,
    params: names ? `!{${names}:s(1-)}` : undefined,
  }
}

/** The part of a request that carries what its path does not: no endpoint uses both. */
export function partFor(method: Method) {
  return /^P/.test(method) ? 'body' : 'query'
}

/**
 * An operation as `npm run gen` writes it from its entry in the table: the request without `GET` and without the `/api/` of
 * every path, what it takes beside the names in the path, what it returns, both in the short form of shapes, and the facts
 * that differ from the default ones. Its ID follows from its place in the tree.
 */
export type WrittenOperation = readonly [
  request: string,
  input?: string,
  response?: string,
  facts?: WrittenFacts,
]

type WrittenFacts = Partial<Omit<OperationFacts, 'id' | 'method' | 'path'>> & {
  readonly [Name in 'params' | 'groupedResponse']?: string
}

/** Operations and subtrees by name, nested like the methods of a client. */
export interface OperationTree {
  readonly [name: string]: WrittenOperation | OperationTree
}

/** Tells an operation from a subtree. */
export function isOperation(node: WrittenOperation | OperationTree): node is WrittenOperation {
  return Array.isArray(node)
}

/** Parses the shapes of an operation. That takes longer than making a client, so it is done at the first call. */
export function completeOperation(
  id: string,
  [request, input, response, facts]: WrittenOperation,
): Operation {
  const [ending, given = 'GET'] = request.split(' ').reverse()
  const method = given as Method
  const path = `/api/${ending}`
  const all = { ...defaultFactsOf(method, path, input), ...facts }
  return {
    ...all,
    id,
    method,
    path,
    [partFor(method)]: parse(input),
    params: parse(all.params),
    response: parse(response),
    groupedResponse: parse(all.groupedResponse),
  }
}

function parse(text: string | undefined) {
  return text ? shape(text) : undefined
}
