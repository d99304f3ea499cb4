import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { ConfigError, hasErrorMarker } from '../errors.ts'
import { process } from '../timers.ts'
import { isLocal, type Transport, TransportFailure } from '../transport.ts'
import { closedError } from './_body.ts'
import { type Connection, Exchange, makeOriginQueue, skipContinue } from './_exchange.ts'

export interface UndiciOptions {
  /** Connections per host, at least 1. @default 8 */
  connections?: number | undefined
  /** How long an idle connection is kept, in milliseconds. @default 4000 */
  keepAliveMs?: number | undefined
  /** How long opening a connection may take, in milliseconds. @default 10000 */
  connectTimeoutMs?: number | undefined
}

/**
 * Keeps connections open between requests: for processes that live for a while. Respects
 * `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. undici is loaded at the first request.
 */
export function undiciTransport(options: UndiciOptions = {}): Transport {
  let pools: ReturnType<typeof makePools> | undefined
  let isClosed = false
  return {
    async send(request) {
      request.onPhase('connect')
      const exchange = new Exchange(request)
      try {
        pools ??= makePools(options)
        const { dispatch } = await pools
        if (isClosed) throw closedError()
        dispatch(exchange)
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

/** The proxies that the environment names. `ALL_PROXY` is for what has none of its own. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>) {
  // undici always lets a SOCKS proxy resolve the host, for which curl has this name.
  const all = (env.all_proxy || env.ALL_PROXY)?.replace(/^socks5h:/, 'socks5:')
  return {
    httpProxy: env.http_proxy || env.HTTP_PROXY || all,
    httpsProxy: env.https_proxy || env.HTTPS_PROXY || all,
  }
}

/** Whether undici works here: Bun and Deno replace it, and edge functions have none. */
export function isUndiciUsable(): boolean {
  const versions = process?.versions
  return Boolean(versions?.node) && !versions?.bun && !versions?.deno
}

async function makePools({
  connections = 8,
  keepAliveMs = 4_000,
  connectTimeoutMs = 10_000,
}: UndiciOptions) {
  const { Client, EnvHttpProxyAgent, Pool, buildConnector } = await load()
  const connector = buildConnector({ timeout: connectTimeoutMs })
  const opened: Dispatcher[] = []
  const queues = new Map<string, ReturnType<typeof makeOriginQueue>>()
  return {
    dispatch(exchange: Exchange) {
      const { origin } = exchange.request
      const enqueue =
        queues.get(origin) ?? makeOriginQueue(connections, () => makeConnection(origin))
      queues.set(origin, enqueue)
      enqueue(exchange)
    },
    destroy: () => Promise.all(opened.map((one) => one.destroy())),
  }

  function makeConnection(origin: string): Connection {
    const watch =
      (connect: buildConnector.connector): buildConnector.connector =>
      (to, callback) => {
        const opened: typeof callback = (...given) => {
          if (given[1]) skipContinue(given[1])
          callback(...given)
        }
        // The connector returns the socket, although its type does not say so.
        const socket = connect(to, opened) as unknown as Socket
        connection.exchange?.onOpen(socket)
        return socket
      }
    const settings = {
      connections: 1,
      keepAliveTimeout: keepAliveMs,
      connect: watch(connector),
      // The attempt has its own timer; these are too coarse for short limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      // undici connects to a proxy with a connector of its own, which has to be watched as well.
      clientFactory: (proxy: URL, { connect }: { connect: buildConnector.connector }) =>
        new Pool(proxy, { connect: watch(connect) }),
    }
    // Requests to this machine must not go through a proxy.
    const dispatcher = isLocal(origin)
      ? new Client(origin, settings)
      : makeProxied(() => new EnvHttpProxyAgent({ ...settings, ...proxiesOf(process.env) }))
    opened.push(dispatcher)
    const connection: Connection = { dispatcher }
    return connection
  }
}

function makeProxied(make: () => Dispatcher): Dispatcher {
  try {
    return make()
  } catch {
    // The cause stays out: it repeats the URL, which may have a password in it.
    throw new ConfigError(
      'HTTP_PROXY, HTTPS_PROXY and ALL_PROXY must be http, https or socks5 URLs',
    )
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
