import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { setTimeout } from '../timers.ts'
import type { ResponseHeaders, TransportRequest, TransportResponse } from '../transport.ts'
import { acceptEncoding, PartialResponse } from './_body.ts'

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
    this.#received = new PartialResponse(status, headers, this.request.maxResponseBytes)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
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

  #settle(end: TransportResponse['end'], cause?: unknown) {
    if (this.#received) this.#resolve(this.#received.finish(end, cause))
    else this.#reject(cause)
  }
}
