import {
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  wantsStream,
} from '../transport.ts'
import { bodyLimit, closable, readText } from './_body.ts'

export interface FetchOptions {
  /** Sends the requests, for example the `fetch` of undici with a dispatcher. @default the `fetch` of the runtime */
  fetch?: Fetch | undefined
}

/** The part of `fetch` that is used: other implementations have other types for the rest. */
type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

interface FetchInit {
  method: string
  headers: Record<string, string>
  redirect: 'manual'
  signal: AbortSignal
  body: string | null
}

interface FetchResponse {
  readonly status: number
  readonly headers: { forEach(callback: (value: string, name: string) => void): void }
  /** A stream of bytes. */
  readonly body: object | null
}

/** The part of a stream that is used where it cannot be iterated over, as in some browsers. */
interface ByteStream {
  getReader(): {
    read(): Promise<{ value?: Uint8Array | undefined }>
    cancel(): Promise<void>
  }
}

/**
 * Uses `fetch`, which every runtime has: Bun, Deno, edge functions. It cannot tell when a connection is open, so
 * a call that times out while connecting reports the phase `headers`. The runtime decides which proxy is used.
 */
export function fetchTransport({ fetch: given }: FetchOptions = {}): Transport {
  return closable(async (request, onEnd) => {
    const controller = new AbortController()
    onEnd((reason) => controller.abort(reason))
    try {
      return await exchange(request, controller, given ?? globalThis.fetch)
    } catch (error) {
      throw new TransportFailure(causeOf(error), wasSent(error))
    }
  })
}

async function exchange(
  request: TransportRequest,
  controller: AbortController,
  fetch: Fetch,
): Promise<TransportResponse> {
  const { method, origin, path, body, maxResponseBytes } = request
  const response = await fetch(origin + path, {
    method,
    headers: request.headers,
    redirect: 'manual',
    signal: controller.signal,
    body: body ?? null,
  })
  request.onPhase('body')
  const { status } = response
  // Browsers hide where a redirect leads, and even its status.
  if (status === 0) throw new Error('the response redirects, and redirects are not followed')
  // Already decompressed by the runtime.
  const chunks = chunksOf(response.body ?? [])
  const headers = headersOf(response)
  if (wantsStream(request, status))
    return { status, headers, text: '', body: chunks, end: 'complete' }
  const read = await readText(chunks, bodyLimit(status, maxResponseBytes))
  if (read.cause) read.cause = causeOf(read.cause)
  if (read.end !== 'complete') controller.abort()
  return { status, headers, ...read }
}

function chunksOf(body: object): AsyncIterable<Uint8Array> {
  const isIterable = Symbol.asyncIterator in body || Symbol.iterator in body
  return isIterable ? (body as AsyncIterable<Uint8Array>) : readAll(body as ByteStream)
}

async function* readAll(stream: ByteStream) {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { value } = await reader.read()
      if (!value) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

function headersOf({ headers }: FetchResponse) {
  const found: Record<string, string> = {}
  headers.forEach((value, name) => {
    found[name] = value
  })
  return found
}

/** The system error, which Node.js puts into `cause`. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

/** Error codes and messages of Node.js, Bun and Deno when there was no connection. */
const NOT_CONNECTED =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|tcp connect error|dns error|CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|wrong version number|peer certificate|^bad port$|\(Connect\)/i

function wasSent(error: unknown): boolean {
  const texts = [error, causeOf(error)].flatMap((one) => [Object(one).code, Object(one).message])
  return !texts.some((text) => NOT_CONNECTED.test(String(text)))
}
