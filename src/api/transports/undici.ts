import type { Dispatcher } from 'undici'
import { isLoopback } from '../core/loopback.ts'
import { once } from '../core/once.ts'
import { type Transport, TransportFailure, type TransportRequest } from '../core/transport.ts'
import { readBody } from './_body.ts'

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
        throw new TransportFailure(error, progress.isSent)
      }
    },
    async close() {
      if (!isUsed) return
      const { direct, proxied } = await pools()
      await Promise.all([direct.destroy(), proxied.destroy()])
    },
  }
}

type Pools = Record<'direct' | 'proxied', Dispatcher>

async function makePools(options: UndiciOptions): Promise<Pools> {
  const loaded = await import('undici')
  // A bundle may leave nothing but the default export.
  const { Agent, EnvHttpProxyAgent } = loaded.default ?? loaded
  const settings = {
    connections: options.connections ?? 8,
    keepAliveTimeout: options.keepAliveMs ?? 4_000,
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
    // The attempt has its own timer; these are too coarse for short limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  return {
    direct: new Agent(settings).compose(watchStart),
    proxied: new EnvHttpProxyAgent(settings).compose(watchStart),
  }
}

interface WatchedOptions extends Dispatcher.DispatchOptions {
  onStart?: () => void
}

/** Reports the moment before the first byte goes out, which decides what may be sent again. */
function watchStart(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch {
  return (options: WatchedOptions, handler) => {
    const { onStart } = options
    const start = handler.onRequestStart
    if (!onStart || !start) return dispatch(options, handler)
    handler.onRequestStart = (controller, context) => {
      onStart()
      start.call(handler, controller, context)
    }
    return dispatch(options, handler)
  }
}

async function exchange(pools: Pools, request: TransportRequest, progress: { isSent: boolean }) {
  request.signal.throwIfAborted()
  const { method, origin, path, headers, body, signal, maxResponseBytes } = request
  // A proxy must not see what is meant for this machine.
  const pool = isLoopback(new URL(origin).hostname) ? pools.direct : pools.proxied
  const options = {
    origin,
    path,
    method,
    headers,
    body: body ?? null,
    signal,
    onStart() {
      progress.isSent = !signal.aborted
      request.onPhase('headers')
    },
  }
  const response = await pool.request(options)
  request.onPhase('body')
  const status = response.statusCode
  const read = await readBody(response.body, status, maxResponseBytes)
  return { status, headers: response.headers, ...read }
}
