import type { TransportRequest } from '../core/transport.ts'
import type { Exchange } from './_exchange.ts'

/**
 * The requests to one origin: as many at a time as there are places, the others in a line. In the
 * line of undici a request learns of its end only when a connection was opened for it.
 */
export function makeOriginQueue(places: { connections: number }) {
  const waiting = new Set<() => void>()
  const busy = new Set<() => void>()

  function next() {
    for (const begin of waiting) {
      // One may always go: undici takes 0 as any number, and says what is wrong with others.
      if (busy.size && busy.size === places.connections) return
      waiting.delete(begin)
      busy.add(begin)
      begin()
    }
  }

  return (request: TransportRequest, exchange: Exchange, begin: () => void) => {
    waiting.add(begin)
    exchange.leave = () => {
      busy.delete(begin)
      next()
    }
    // At once if the attempt is over already. Its caller has heard of it, and nobody awaits an answer.
    request.onEnd(() => waiting.delete(begin))
    next()
  }
}
