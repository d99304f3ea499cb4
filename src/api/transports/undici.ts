import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { ConfigError, isClientError } from '../core/errors.ts'
import { isLocal } from '../core/loopback.ts'
import { once } from '../core/once.ts'
import {
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../core/transport.ts'
import { isSuccess, readBody } from './_body.ts'
import { ClosedError } from './_closed.ts'
import { Sockets } from './_sockets.ts'

export interface UndiciOptions {
  /** Connections per host. @default 8 */
  connections?: number
  /** How long an idle connection is kept, in milliseconds. @default 4000 */
  keepAliveMs?: number
  /** How long a connection may take, in milliseconds. @default 10000 */
  connectTimeoutMs?: number
}

/**
 * Keeps connections open between requests: for processes that live for a while. Respects
 * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. undici is loaded at the first request.
 */
export function undiciTransport(options: UndiciOptions = {}): Transport {
  let isUsed = false
  let isClosed = false
  const pools = once(() => {
    isUsed = true
    return makePools(options)
  })
  return {
    async send(request) {
      request.onPhase('connect')
      const progress = { isSent: false }
      try {
        return await exchange(await pools(), request, progress)
      } catch (error) {
        if (isClientError(error)) throw error
        throw new TransportFailure(isClosed ? new ClosedError() : error, progress.isSent)
      }
    },
    async close() {
      isClosed = true
      const made = isUsed ? await pools().catch(() => undefined) : undefined
      await Promise.all([made?.direct.destroy(), made?.proxied.destroy()])
      made?.sockets.destroy()
    },
  }
}

interface Pools {
  direct: Dispatcher
  proxied: Dispatcher
  sockets: Sockets
}

async function makePools(options: UndiciOptions): Promise<Pools> {
  const { Agent, EnvHttpProxyAgent, Pool, buildConnector } = await load()
  const sockets = new Sockets()
  const settings = {
    connections: options.connections ?? 8,
    keepAliveTimeout: options.keepAliveMs ?? 4_000,
    connect: sockets.watch(buildConnector({ timeout: options.connectTimeoutMs ?? 10_000 })),
    // The attempt has its own timer; these are too coarse for short limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  // To a proxy, undici makes the connections in its own way.
  const clientFactory = (origin: URL, { connect }: { connect: buildConnector.connector }) =>
    new Pool(origin, { connect: sockets.watch(connect) })
  const watch = watchRequests(sockets)
  try {
    const proxied = new EnvHttpProxyAgent({ ...settings, clientFactory }).compose(watch)
    return { direct: new Agent(settings).compose(watch), proxied, sockets }
  } catch {
    // The cause stays out: it repeats the address, which may have a password in it.
    throw new ConfigError('HTTP_PROXY or HTTPS_PROXY is no address')
  }
}

async function load() {
  try {
    const loaded = await import('undici')
    // A bundle may leave nothing but the default export.
    return loaded.default ?? loaded
  } catch (cause) {
    const hint = 'install undici, or use the https transport'
    throw new ConfigError('undici cannot be loaded', { cause, hint })
  }
}

interface WatchedOptions extends Dispatcher.DispatchOptions {
  onOpen?: (socket: Socket) => void
  onStart?: (controller: Dispatcher.DispatchController) => void
}

/**
 * Reports a connection that is opened for a request, and the moment before the first byte goes out,
 * which decides what may be sent again.
 */
function watchRequests(sockets: Sockets): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options: WatchedOptions, handler) => {
    const { onStart, onOpen } = options
    const start = handler.onRequestStart
    if (!onStart || !start) return dispatch(options, handler)
    handler.onRequestStart = (controller, context) => {
      start.call(handler, controller, context)
      onStart(controller)
    }
    sockets.opener = onOpen
    try {
      return dispatch(options, handler)
    } finally {
      sockets.opener = undefined
    }
  }
}

async function exchange(
  pools: Pools,
  request: TransportRequest,
  progress: { isSent: boolean },
): Promise<TransportResponse> {
  const { method, origin, path, headers, body, maxResponseBytes } = request
  // A proxy must not see what is meant for this machine.
  const pool = isLocal(origin) ? pools.direct : pools.proxied
  const options = {
    origin,
    path,
    method,
    headers,
    body: body ?? null,
    onOpen(socket: Socket) {
      request.onEnd((reason) => progress.isSent || socket.destroy(reason))
    },
    onStart(controller: Dispatcher.DispatchController) {
      request.onPhase('headers')
      progress.isSent = true
      // If the attempt is over already, this aborts the request before its first byte.
      request.onEnd((reason) => controller.abort(reason))
    },
  }
  const { statusCode: status, headers: received, body: stream } = await pool.request(options)
  request.onPhase('body')
  const length = Number(received['content-length'] ?? Number.NaN)
  const isShort = isSuccess(status) && length <= maxResponseBytes
  const read = isShort ? await readText(stream) : await readBody(stream, status, maxResponseBytes)
  return { status, headers: received, ...read }
}

/** The quickest way, for a body whose length is known. */
async function readText(stream: Dispatcher.ResponseData['body']) {
  try {
    return { text: await stream.text(), end: 'complete' } as const
  } catch (cause) {
    return { text: '', end: 'broken', cause } as const
  }
}
