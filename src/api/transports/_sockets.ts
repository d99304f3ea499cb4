import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/**
 * Knows every connection of undici from its first packet on. undici itself lets go of a connection
 * only when it is made or has failed, which may be long after the request was given up.
 */
export class Sockets {
  readonly #open = new Set<Socket>()
  /** Hears of what is opened while a request is dispatched: undici does so at once, and for it alone. */
  opener: ((socket: Socket) => void) | undefined

  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // The types keep quiet about what it returns.
      const socket = connect(options, callback) as unknown as Socket
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      this.opener?.(socket)
      return socket
    }
  }

  destroy() {
    for (const socket of this.#open) socket.destroy()
  }
}
