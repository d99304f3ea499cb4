import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { isLocal } from '../core/loopback.ts'
import { ConfigError, hasErrorMarker } from '../errors.ts'
import { type Transport, TransportFailure, type TransportRequest } from '../transport.ts'
import { acceptEncoding } from './_body.ts'
import { closedError } from './_closed.ts'
import { Exchange } from './_exchange.ts'
import { makeOriginQueue } from './_origin-queue.ts'
import { skipContinue } from './_skip-continue.ts'

export interface UndiciOptions {
  /** Connections per host. @default 8 */
  connections?: number
  /** How long an idle connection is kept, in milliseconds. @default 4000 */
  keepAliveMs?: number
  /** How long opening a connection may take, in milliseconds. @default 10000 */
  connectTimeoutMs?: number
}

/**
 * Keeps connections open between requests: for processes that live for a while. Respects
 * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. undici is loaded at the first request.
 */
export function undiciTransport(options: UndiciOptions = {}): Transport {
  let pools: ReturnType<typeof makePools> | undefined
  let isClosed = false
  return {
    async send(request) {
      request.onPhase('connect')
      const exchange = new Exchange(request)
      try {
        if (isClosed) throw closedError()
        pools ??= makePools(options)
        const { dispatch } = await pools
        dispatch(request, exchange)
        return await exchange.response
      } catch (error) {
        if (hasErrorMarker(error)) throw error
        throw new TransportFailure(isClosed ? closedError() : error, exchange.isSent)
      }
    },
    async close() {
      isClosed = true
      const made = await pools?.catch(() => undefined)
      await made?.destroy()
    },
  }
}

/** Whether undici works here: Bun and Deno replace it, and edge functions have none. */
export function isUndiciUsable(): boolean {
  const versions = globalThis.process?.versions
  return Boolean(versions?.node) && !versions?.bun && !versions?.deno
}

async function makePools({
  connections = 8,
  keepAliveMs = 4_000,
  connectTimeoutMs = 10_000,
}: UndiciOptions) {
  const { Agent, EnvHttpProxyAgent, Pool, buildConnector } = await load()
  let dispatched: Exchange | undefined
  const watch =
    (connect: buildConnector.connector): buildConnector.connector =>
    (to, callback) => {
      const opened: typeof callback = (...given) => {
        if (given[1]) skipContinue(given[1])
        callback(...given)
      }
      // The connector returns the socket, although its type does not say so.
      const socket = connect(to, opened) as unknown as Socket
      dispatched?.onOpen(socket)
      return socket
    }
  const settings = {
    connections,
    keepAliveTimeout: keepAliveMs,
    connect: watch(buildConnector({ timeout: connectTimeoutMs })),
    // The attempt has its own timer; these are too coarse for short limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    // undici connects to a proxy with a connector of its own, which has to be watched as well.
    clientFactory: (proxy: URL, { connect }: { connect: buildConnector.connector }) =>
      new Pool(proxy, { connect: watch(connect) }),
  }
  const direct = new Agent(settings)
  const proxied = makeProxied(() => new EnvHttpProxyAgent(settings))
  const queues = new Map<string, ReturnType<typeof makeOriginQueue>>()
  return {
    dispatch(request: TransportRequest, exchange: Exchange) {
      const acquire = queues.get(request.origin) ?? makeOriginQueue(settings)
      queues.set(request.origin, acquire)
      acquire(request, exchange, () => {
        // Requests to this machine must not go through a proxy.
        const pool = isLocal(request.origin) ? direct : proxied
        // A connection that `dispatch` opens is for this request alone.
        dispatched = exchange
        const { origin, path, body } = request
        const method = request.method as Dispatcher.HttpMethod
        const headers = { 'accept-encoding': acceptEncoding, ...request.headers }
        pool.dispatch({ origin, path, method, headers, body }, exchange)
        dispatched = undefined
      })
    },
    destroy() {
      // Lifts the limit: when one request ends, all waiting ones are sent and fail, as the pools are destroyed.
      settings.connections = 0
      return Promise.all([direct.destroy(), proxied.destroy()])
    },
  }
}

function makeProxied(make: () => Dispatcher): Dispatcher {
  try {
    return make()
  } catch {
    // The cause stays out: it repeats the URL, which may have a password in it.
    throw new ConfigError('HTTP_PROXY or HTTPS_PROXY must be a URL')
  }
}

async function load() {
  try {
    const loaded = await import('undici')
    // In a bundle, only the default export may be left.
    return loaded.default ?? loaded
  } catch (cause) {
    const hint = 'install undici, or use the https transport'
    throw new ConfigError('undici cannot be loaded', { cause, hint })
  }
}
