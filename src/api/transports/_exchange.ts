import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { process, setImmediate, setTimeout } from '../timers.ts'
import {
  type ResponseHeaders,
  type TransportRequest,
  type TransportResponse,
  wantsStream,
} from '../transport.ts'
import { acceptEncoding, decompressed, PartialResponse } from './_body.ts'

/**
 * One request to undici and its response. Uses `dispatch()`: `request()` takes longer and does not tell when
 * the first byte is sent, which decides whether the request may be retried.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  isSent = false
  readonly request: TransportRequest
  readonly response: Promise<TransportResponse>
  /** Gives the connection to the next request. */
  #release!: () => void
  #resolve!: (response: TransportResponse | Promise<TransportResponse>) => void
  #reject!: (reason: unknown) => void
  #socket: Socket | undefined
  #received: PartialResponse | undefined
  #stream: Readable | undefined

  constructor(request: TransportRequest) {
    this.request = request
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Sends the request as soon as the dispatcher can. */
  start(dispatcher: Dispatcher, release: () => void) {
    this.#release = release
    const { origin, path, body } = this.request
    const method = this.request.method as Dispatcher.HttpMethod
    const headers = { 'accept-encoding': acceptEncoding, ...this.request.headers }
    dispatcher.dispatch({ origin, path, method, headers, body }, this)
  }

  /** A connection is being opened for this request. undici would keep waiting for it after the attempt has ended. */
  onOpen(socket: Socket) {
    // Where a proxy closes every connection, undici would open hundreds of them a second.
    if (this.#socket) return socket.destroy(new Error('the connection was closed'))
    this.#socket = socket
    this.request.onEnd((reason) => this.#stopConnecting(reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.request.onPhase('headers')
    this.isSent = true
    // If the attempt is over already, this aborts the request before its first byte.
    this.request.onEnd((reason) => controller.abort(reason))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders) {
    if (status < 200) return
    this.request.onPhase('body')
    if (wantsStream(this.request, status)) return this.#startStream(status, headers)
    this.#received = new PartialResponse(status, headers, this.request.maxResponseBytes)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#stream) {
      this.#stream.push(chunk)
      if (this.#stream.readableLength > this.request.maxResponseBytes)
        controller.abort(new Error('more than maxResponseBytes arrived that nobody has read'))
      return
    }
    if (this.#received?.add(chunk)) return
    this.#settle('too-long')
    controller.abort(new Error('too long'))
  }

  onResponseEnd() {
    this.#settle('complete')
    this.#release()
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error) {
    this.#settle('broken', cause)
    this.#stopConnecting(cause)
    // After the timers that are due: they may be about to end the next request as well.
    setTimeout(this.#release)
  }

  /**
   * Once the request is sent, only undici may close the connection. It takes a closed socket for the end of a response
   * without a length, and if it has given up that response, a failed assertion ends the process. Through a proxy, the TLS
   * connection on top of the socket would never close, and block the requests that follow.
   */
  #stopConnecting(reason: Error) {
    if (!this.isSent) this.#socket?.destroy(reason)
  }

  #startStream(status: number, headers: ResponseHeaders) {
    const { Readable } = process.getBuiltinModule('node:stream')
    // Nothing holds the server back: undici ends the process if a connection breaks while its parser is paused.
    this.#stream = new Readable({ read: () => {} })
    const body = decompressed(this.#stream, headers)
    this.#resolve({ status, headers, text: '', body, end: 'complete' })
  }

  #settle(end: TransportResponse['end'], cause?: unknown) {
    if (this.#stream && end === 'complete') this.#stream.push(null)
    else if (this.#stream) this.#stream.destroy(cause as Error)
    else if (this.#received) this.#resolve(this.#received.finish(end, cause))
    else this.#reject(cause)
  }
}

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

// All but 101, after which the connection speaks another protocol.
const INTERIM = /^(HTTP\/1\.1 1(?!01)\d\d\b[\s\S]*?\r\n\r\n)+/
const LONGEST_HEAD = 4_096

/**
 * Drops interim responses from what a socket reads. Some servers send a `100 Continue` unasked, even twice; undici
 * treats that as an error and closes the connection although the response follows.
 */
export function skipContinue(socket: Socket) {
  let isHeadExpected = false
  const { read, write } = socket
  socket.write = ((...given: Parameters<Socket['write']>) => {
    isHeadExpected = true
    return write.apply(socket, given)
  }) as Socket['write']
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read.call(socket, size)
    // The first data after a request was written is the head of its response.
    if (!isHeadExpected || !chunk?.length) return chunk
    const [head] = INTERIM.exec(chunk.toString('latin1', 0, LONGEST_HEAD)) ?? []
    isHeadExpected = head !== undefined
    if (!head) return chunk
    const rest = chunk.subarray(head.length)
    return rest.length > 0 ? rest : socket.read(size)
  }
}
