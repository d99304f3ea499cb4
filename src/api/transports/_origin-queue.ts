import type { Dispatcher } from 'undici'
import { setImmediate } from '../timers.ts'
import type { Exchange } from './_exchange.ts'

/** A dispatcher with a single connection, which it opens again after it was closed, and the exchange that uses it. */
export interface Connection {
  dispatcher: Dispatcher
  exchange?: Exchange | undefined
}

/**
 * Queues the requests to one origin, so that at most `limit` of them are sent at a time, each on a connection of its
 * own. undici's own queue would notice that a request has ended only after opening a connection for it, and its pool
 * opens a second connection for requests that follow one another.
 */
export function makeOriginQueue(limit: number, open: () => Connection) {
  const waiting = new Set<Exchange>()
  const idle: Connection[] = []
  let count = 0

  function start(exchange: Exchange, connection: Connection) {
    connection.exchange = exchange
    exchange.start(connection.dispatcher, () => {
      // The exchange would keep its response in memory.
      connection.exchange = undefined
      const [next] = waiting
      if (!next) return idle.push(connection)
      waiting.delete(next)
      reuse(next, connection)
    })
  }

  /**
   * Starts after a turn of the event loop, in which Node.js notices that the server has closed the connection: a
   * request sent on a closed connection is lost.
   */
  function reuse(exchange: Exchange, connection: Connection) {
    setImmediate(() => start(exchange, connection))
  }

  return (exchange: Exchange) => {
    // The one that was used last, so that requests that follow one another share a connection.
    const connection = idle.pop()
    if (connection) return reuse(exchange, connection)
    if (count === 0 || count < limit) {
      count += 1
      return start(exchange, open())
    }
    waiting.add(exchange)
    // Removed at once if the attempt has ended: its caller has the error already and awaits no response.
    exchange.request.onEnd(() => waiting.delete(exchange))
  }
}
