import type { TransportRequest } from '../transport.ts'
import type { Exchange } from './_exchange.ts'

/**
 * Queues the requests to one origin, so that at most `connections` of them are sent at a time. undici's own
 * queue would notice that a request has ended only after opening a connection for it.
 */
export function makeOriginQueue(limits: { connections: number }) {
  const waiting = new Set<() => void>()
  const busy = new Set<() => void>()

  function next() {
    for (const begin of waiting) {
      // One request is always sent: undici treats 0 connections as unlimited, and rejects invalid numbers itself.
      if (busy.size && busy.size === limits.connections) return
      waiting.delete(begin)
      busy.add(begin)
      begin()
    }
  }

  return (request: TransportRequest, exchange: Exchange, begin: () => void) => {
    waiting.add(begin)
    exchange.release = () => {
      busy.delete(begin)
      next()
    }
    // Removed at once if the attempt has ended: its caller has the error already and awaits no response.
    request.onEnd(() => waiting.delete(begin))
    next()
  }
}
