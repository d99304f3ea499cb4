import type { TransportRequest } from '../transport.ts'
import type { Exchange } from './_exchange.ts'

/**
 * Queues the requests to one origin: as many are sent at a time as there may be connections. In the queue
 * of undici a request that is over would be noticed only when a connection was opened for it.
 */
export function makeOriginQueue(limits: { connections: number }) {
  const waiting = new Set<() => void>()
  const busy = new Set<() => void>()

  function next() {
    for (const begin of waiting) {
      // One may always go: undici takes 0 as any number, and says what is wrong with others.
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
    // At once if the attempt is over already. Its caller has heard of it, and nobody awaits an answer.
    request.onEnd(() => waiting.delete(begin))
    next()
  }
}
