import type { Endpoint } from '../api/endpoints/endpoint.ts'
import type { Host } from '../api/operation.ts'
import { chosen } from './choices.ts'
import { Problem } from './reply.ts'

/** An endpoint with the values of its path parameters. */
interface Match {
  endpoint: Endpoint
  params: Record<string, string>
}

/** What a port serves: the endpoints of one host, or of both. */
export type Served = Host | 'both'

interface Route {
  endpoint: Endpoint
  pattern: RegExp
  /** Whether this is a known path that answers 404 because of the seed. */
  isClosed: boolean
}

export interface Router {
  /** Finds the endpoint, or throws a 404 or 405. */
  match(host: Served, method: string, path: string): Match
  /** The endpoint, if there is one. */
  find(host: Served, method: string, path: string): Endpoint | undefined
}

/** Which of the two paths of a renamed endpoint work. */
export type Addresses = 'both' | 'specification' | 'renamed'

/** Makes the routes from the endpoint table. */
export function makeRouter(endpoints: readonly Endpoint[], addresses: Addresses): Router {
  const routes = endpoints.flatMap((endpoint) => routesOf(endpoint, addresses))
  const open = (host: Served, path: string) =>
    routes.filter(
      (route) => !route.isClosed && isServed(host, route.endpoint) && route.pattern.test(path),
    )
  const pick = (host: Served, method: string, path: string) =>
    open(host, path).find(({ endpoint }) => endpoint.method === asGet(method))
  return {
    find: (host, method, path) => pick(host, method, path)?.endpoint,
    match(host, method, path) {
      const route = pick(host, method, path)
      if (route) return { endpoint: route.endpoint, params: paramsOf(route.pattern, path) }
      const others = open(host, path).map(({ endpoint }) => endpoint.method)
      throw others.length > 0 ? wrongMethod(method, others) : unknownRoute(routes, host, path)
    },
  }
}

function routesOf(endpoint: Endpoint, addresses: Addresses): Route[] {
  const { path, alternatePath } = endpoint
  if (!alternatePath) return [{ endpoint, pattern: patternOf(path), isClosed: false }]
  return [
    { endpoint, pattern: patternOf(path), isClosed: addresses === 'renamed' },
    { endpoint, pattern: patternOf(alternatePath), isClosed: addresses === 'specification' },
  ]
}

// Empty segments match, so that the schema refuses them with the name of the parameter.
function patternOf(path: string) {
  const escaped = path.replaceAll('.', '\\.')
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]*)')}$`)
}

function asGet(method: string) {
  return method === 'HEAD' ? 'GET' : method
}

function paramsOf(pattern: RegExp, path: string) {
  const groups = pattern.exec(path)?.groups ?? {}
  return Object.fromEntries(Object.entries(groups).map(([name, raw]) => [name, decode(name, raw)]))
}

function decode(name: string, raw: string) {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw new Problem(chosen.refusedInput.value, `path.${name}: broken percent-encoding`)
  }
}

function wrongMethod(method: string, others: readonly string[]) {
  const allow = others.join(', ')
  const detail = `${method} is not possible here, only ${allow}`
  return new Problem(chosen.wrongMethod.value, detail, { headers: { allow } })
}

function isServed(host: Served, endpoint: Endpoint) {
  return host === 'both' || endpoint.host === host
}

function unknownRoute(routes: readonly Route[], host: Served, path: string) {
  const elsewhere = routes.some(
    (route) => !isServed(host, route.endpoint) && route.pattern.test(path),
  )
  const where = host === 'base' ? 'application' : 'API'
  const hint = elsewhere ? `; it belongs to the ${where} address` : ''
  return new Problem(chosen.unknownRoute.value, `No endpoint at ${path}${hint}`)
}
