/** What a call is doing. A timeout tells in which phase the time ran out. */
export type Phase = 'credentials' | 'connect' | 'headers' | 'body' | 'wait'

export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export interface TransportRequest {
  method: string
  /** Scheme, host and port, such as `https://api.example.org`. */
  origin: string
  /** Path and query as they go on the wire. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  /** Aborted when the attempt times out or the caller aborts it. The connection must be closed then. */
  readonly signal: AbortSignal
  /** Calls back when the signal would be aborted; cheaper than the signal. */
  onEnd(callback: (reason: Error) => void): void
  /** In bytes. A longer body is truncated there, and the connection closed. */
  maxResponseBytes: number
  /**
   * To be called with `connect` before connecting, `headers` before the first byte is sent, `body` when the
   * response headers are there. If a transport never calls it, the request counts as sent.
   */
  onPhase(phase: 'connect' | 'headers' | 'body'): void
  /** Whether the body of a success is wanted as it arrives. A transport that ignores it responds with text. */
  isStreamed?(): boolean
}

export interface TransportResponse {
  status: number
  /** Response headers by name, in lower case. */
  headers: ResponseHeaders
  text: string
  /** In place of `text`: the body as it arrives, decompressed. It fails when the attempt is ended. */
  body?: AsyncIterable<Uint8Array> | undefined
  /** `too-long`: cut at the limit. `broken`: the connection ended before the body did. */
  end: 'complete' | 'too-long' | 'broken'
  cause?: unknown
}

/** Sends one request once: no retries, no redirects, no timers of its own. */
export interface Transport {
  /** Rejects with a `TransportFailure` if there is no status line. */
  send(request: TransportRequest): Promise<TransportResponse>
  /** Closes every connection, including those in use. */
  close?: (() => Promise<void>) | undefined
}

/** Why there is no response at all. */
export class TransportFailure extends Error {
  override name = 'TransportFailure'
  /** False only if it is certain that no byte of the request reached the server. */
  readonly sent: boolean

  constructor(cause: unknown, sent: boolean) {
    super('there is no response', { cause })
    this.sent = sent
  }
}

/** Whether a status means success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Statuses of responses that have no body. */
export const NO_BODY = /^(1..|204|205|304)$/

/** Whether to respond with the body as it arrives. Errors never do, since the client reads them. */
export function wantsStream({ isStreamed }: TransportRequest, status: number): boolean {
  return isSuccess(status) && !NO_BODY.test(`${status}`) && Boolean(isStreamed?.())
}

/** The body of an error response is kept up to this many bytes. */
export const errorBodyBytes = 64 * 1024

const LOCAL = /^https?:\/\/(127(\.\d+){3}|([^/]*\.)?localhost|\[::1\])(:\d+)?$/

/** Whether the origin of a URL can only mean this machine. */
export function isLocal(origin: string): boolean {
  return LOCAL.test(origin)
}
