import { type Transport, TransportFailure, type TransportRequest } from '../transport.ts'
import { bodyLimit, readText } from './_body.ts'
import { closable } from './_closed.ts'

export interface FetchOptions {
  /** @default the `fetch` of the runtime */
  fetch?: typeof globalThis.fetch | undefined
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
  fetch: typeof globalThis.fetch,
) {
  const { method, origin, path, headers, body, maxResponseBytes } = request
  const response = await fetch(origin + path, {
    method,
    headers,
    redirect: 'manual',
    signal: controller.signal,
    body: body ?? null,
  })
  request.onPhase('body')
  const { status } = response
  // Already decompressed by the runtime.
  const stream = (response.body ?? []) as AsyncIterable<Uint8Array>
  const read = await readText(stream, bodyLimit(status, maxResponseBytes))
  if (read.cause) read.cause = causeOf(read.cause)
  if (read.end !== 'complete') controller.abort()
  return { status, headers: Object.fromEntries(response.headers), ...read }
}

/** The system error, which Node.js puts into `cause`. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

/** Error codes and messages of Node.js, Bun and Deno when there was no connection. */
const NOT_CONNECTED =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|tcp connect error|dns error|CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|^bad port$|\(Connect\)/i

function wasSent(error: unknown): boolean {
  const texts = [error, causeOf(error)].flatMap((one) => [Object(one).code, Object(one).message])
  return !texts.some((text) => NOT_CONNECTED.test(String(text)))
}
