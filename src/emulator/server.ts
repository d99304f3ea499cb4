import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { isLoopback } from '../text/loopback.ts'
import { settle } from './agent.ts'
import { authenticate } from './auth.ts'
import { readBody } from './body.ts'
import { chosen } from './choices.ts'
import { handleControl, isControl } from './control.ts'
import { codeOf, EmulatorError } from './errors.ts'
import { handlers } from './handlers/index.ts'
import { readInput } from './input.ts'
import { parsedBody, queryFields, recordedBody, recordedHeaders, recordedQuery } from './journal.ts'
import { handlePage, isPage } from './pages.ts'
import { Problem, problemReply, type Reply } from './reply.ts'
import { respond } from './respond.ts'
import type { Router, Served } from './router.ts'
import type { Running, World } from './world.ts'

const LOOPBACK = '127.0.0.1'

/** Listens on the loopback interface for one of the two hosts, or both. Port 0 takes any free one. */
export async function listen(running: Running, host: Served, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    serve(running, host, request, response).catch((error: unknown) => {
      fail(response, request.url ?? '/', error)
    })
  })
  await listenOn(server, port)
  return server
}

/** Listens on the loopback interface. @throws EmulatorError if the port cannot be used */
export function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(port, cause)))
    server.listen(port, LOOPBACK, resolve)
  })
}

/** The URL of a listening server. */
export function urlOf(server: Server) {
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new EmulatorError('the server does not listen')
  return `http://${LOOPBACK}:${address.port}`
}

/** Closes the server and all its connections, including hanging ones. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function serve(
  running: Running,
  host: Served,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { method = 'GET', url = '/', headers } = request
  const { path, query } = targetOf(url)
  const refuse = (problem: Problem) =>
    respond(response, undefined, () => problemReply(problem, path, ''))
  if (!isLoopback(headers.host ?? '')) return void (await refuse(otherHost()))
  if (!isControl(path) && allowLocalPages(request, response)) return
  if (isPage(method, path))
    return void (await respond(response, undefined, () => handlePage(running, path)))
  const body = await readBody(request, running.world.seed.behavior.maxBodyBytes)
  if (!isControl(path)) {
    return await serveEndpoint(running, { host, method, path, query, headers, body }, response)
  }
  if (body === undefined) return void (await refuse(tooLarge(running)))
  const control = { method, path, headers, body }
  await respond(response, undefined, () => handleControl(running, control))
}

/** A request for an endpoint. Its body is undefined if it is too large. */
interface Asked extends Pick<Exchange, 'host' | 'method' | 'path' | 'query'> {
  headers: IncomingHttpHeaders
  body: string | undefined
}

async function serveEndpoint(running: Running, asked: Asked, response: ServerResponse) {
  const { host, method, path, query, headers, body } = asked
  const endpoint = running.router.find(host, method, path)
  const recorded = running.journal.add({
    at: running.world.clock.now(),
    host: endpoint?.host ?? (host === 'app' ? 'app' : 'base'),
    method,
    path,
    query: recordedQuery(query),
    headers: recordedHeaders(headers),
    body: recordedBody(body ?? ''),
    endpoint: endpoint?.id,
  })
  const requestId = `${chosen.requestId.value}_${recorded.number}`
  response.setHeader('x-request-id', requestId)
  const { authorization } = headers
  const onCaller = (keyId: string) => {
    recorded.keyId = keyId
  }
  const makeReply = async (): Promise<Reply> => {
    if (body === undefined) return problemReply(tooLarge(running), path, requestId)
    const own = await running.ownHandlers.ask(endpoint?.id, () => ({
      ...{ method, path, query: queryFields(query), body: parsedBody(body) },
      params: running.router.match(host, method, path).params,
    }))
    if (own) return own
    const exchange = { host, method, path, query, authorization, body, requestId, onCaller }
    const reply = handleRequest(running.world, running.router, exchange)
    running.save()
    return reply
  }
  const taken = running.faults.take({ endpoint: recorded.endpoint, method, path })
  recorded.fault = taken?.fault.then
  recorded.status = await respond(response, taken, makeReply)
}

/** With DNS rebinding, a web page reaches a local port of its visitor under the host name of the page. */
function otherHost() {
  return new Problem(403, 'The Host must be localhost or a loopback address')
}

// Not with `new URL`, which would resolve `..` and treat `//` as a host: the path must stay as it was sent.
function targetOf(target: string) {
  const local = target.replace(/^https?:\/\/[^/?]*/, '')
  const start = local.indexOf('?')
  const path = start < 0 ? local : local.slice(0, start)
  return { path: path || '/', query: new URLSearchParams(start < 0 ? '' : local.slice(start)) }
}

function tooLarge({ world }: Running) {
  const { maxBodyBytes } = world.seed.behavior
  const detail = `The body is larger than ${maxBodyBytes} bytes`
  return new Problem(chosen.bodySize.value.status, detail, { metadata: { maxBodyBytes } })
}

/** An error of the emulator itself, such as a state file that cannot be written. */
function fail(response: ServerResponse, url: string, error: unknown) {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const why = error instanceof Error ? error.message : String(error)
  const reply = problemReply(new Problem(500, `The emulator failed: ${why}`), url, 'req_failed')
  respond(response, undefined, () => reply)
}

function cannotListen(port: number, cause: Error) {
  const isTaken = codeOf(cause) === 'EADDRINUSE'
  const hint = isTaken ? 'Take another port, or 0 for any free one' : undefined
  const why = isTaken ? 'is in use' : `cannot be used: ${cause.message}`
  return new EmulatorError(`port ${port} ${why}`, { cause, hint, isTaken: true })
}

/**
 * Lets web pages of this machine, such as those of a development server, call the endpoints. Other pages stay out: the keys
 * of the emulator are known to everybody. Answers the browser's question before a request, and returns whether it was one.
 */
function allowLocalPages({ method, headers }: IncomingMessage, response: ServerResponse) {
  const { origin } = headers
  if (origin === undefined || !isLocalPage(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', '*')
  response.setHeader('vary', 'origin')
  const asked = headers['access-control-request-method']
  if (method !== 'OPTIONS' || asked === undefined) return false
  response.writeHead(204, {
    'access-control-allow-methods': asked,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-allow-private-network': 'true',
  })
  response.end()
  return true
}

function isLocalPage(origin: string) {
  return URL.canParse(origin) && isLoopback(new URL(origin).host)
}

/** A request whose body has been read. */
interface Exchange {
  host: Served
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  body: string
  requestId: string
  /** Called when the caller is known. */
  onCaller?: (keyId: string) => void
}

/** Answers a request: finds the endpoint, the caller and the input, and lets the handler act. */
function handleRequest(world: World, router: Router, exchange: Exchange): Reply {
  try {
    return act(world, router, exchange)
  } catch (error) {
    if (error instanceof Problem) return problemReply(error, exchange.path, exchange.requestId)
    throw error
  }
}

function act(world: World, router: Router, exchange: Exchange): Reply {
  const { endpoint, params } = router.match(exchange.host, exchange.method, exchange.path)
  const now = world.clock.now()
  // First the agent catches up with everything that it would have done until now.
  settle(world, now)
  const caller = authenticate(world.state, exchange.authorization, now)
  exchange.onCaller?.(caller.key.id)
  const input = readInput(endpoint, { params, query: exchange.query, body: exchange.body })
  const handler = handlers.get(endpoint.id)
  if (!handler) throw new Problem(501, `The emulator does not have ${endpoint.id}`)
  return handler.run(input, { world, state: world.state, caller, now })
}
