import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { listEndpoints } from '../../api/endpoints/index.ts'
import type { CallOptions, Client, PageList } from '../../api/index.ts'
import { usageError } from '../../errors.ts'

/** @throws HookbellError E_USAGE if the ID is unknown, with similar IDs as a hint */
export function findEndpoint(id: string): Endpoint {
  const endpoints = listEndpoints()
  const found = endpoints.find((endpoint) => endpoint.id === id)
  if (found) return found
  const ids = endpoints.map((endpoint) => endpoint.id)
  const same = ids.filter((known) => known.toLowerCase() === id.toLowerCase())
  const near = same.length > 0 ? same : ids.filter((known) => isNear(known, id))
  throw usageError(
    `api: unknown endpoint "${id}"`,
    near.length > 0 ? `Did you mean: ${near.join(', ')}` : 'List them with: hookbell api',
  )
}

/** A list is a `PageList`, anything else a promise. */
type AnyMethod = (
  input: Record<string, unknown>,
  options?: CallOptions,
) => PageList<unknown, unknown> | Promise<unknown>

/** The client method of an endpoint: its ID is the path to it. */
export function methodOf(client: Client, { id }: Endpoint): AnyMethod {
  let node: unknown = client
  for (const name of id.split('.')) node = Reflect.get(Object(node), name)
  return node as AnyMethod
}

/** Whether both IDs have the same first or last word, or the known one contains the other. */
function isNear(known: string, id: string): boolean {
  const [one, other] = [known.toLowerCase(), id.toLowerCase().replaceAll('-', '')]
  if (one.includes(other)) return true
  const [words, others] = [one.split('.'), other.split('.')]
  return words[0] === others[0] || words.at(-1) === others.at(-1)
}
