import { type Transport, TransportFailure, type TransportRequest } from '../transport.ts'
import { bodyLimit } from './_body.ts'
import { closedError } from './_closed.ts'

export interface FetchOptions {
  /** @default the `fetch` of the runtime */
  fetch?: typeof globalThis.fetch | undefined
}

/**
 * Uses `fetch`, which every runtime has: Bun, Deno, edge functions. It cannot tell when a connection is there,
 * so a call that runs out of time ends in the phase `headers`. Proxies are those that the runtime knows of.
 */
export function fetchTransport({ fetch: given }: FetchOptions = {}): Transport {
  const open = new Set<AbortController>()
  let isClosed = false
  return {
    async send(request) {
      if (isClosed) throw new TransportFailure(closedError(), false)
      const controller = new AbortController()
      open.add(controller)
      request.onEnd((reason) => controller.abort(reason))
      try {
        return await exchange(request, controller, given ?? globalThis.fetch)
      } catch (error) {
        const cause = isClosed ? closedError() : causeOf(error)
        throw new TransportFailure(cause, wasSent(error))
      } finally {
        open.delete(controller)
      }
    },
    async close() {
      isClosed = true
      for (const controller of open) controller.abort(closedError())
    },
  }
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
    ...(body === undefined ? {} : { body }),
  })
  request.onPhase('body')
  const { status } = response
  const read = await readText(response, bodyLimit(status, maxResponseBytes))
  if (read.end !== 'complete') controller.abort(new Error('the rest is not needed'))
  return { status, headers: Object.fromEntries(response.headers), ...read }
}

/** The text of a body up to a limit, which the runtime has decompressed. */
async function readText({ body }: Response, limit: number) {
  // Callers strip the byte order mark themselves.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  let room = limit
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk.subarray(0, Math.max(0, room)), { stream: true })
      room -= chunk.length
      if (room < 0) return { text: text + decoder.decode(), end: 'too-long' as const }
    }
    return { text: text + decoder.decode(), end: 'complete' as const }
  } catch (error) {
    return { text, end: 'broken' as const, cause: causeOf(error) }
  }
}

/** Node.js hides the error of the system in `cause`. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

/** How Node.js, Bun and Deno say that there was no connection. */
const NOT_CONNECTED =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|tcp connect error|dns error|CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/i

function wasSent(error: unknown): boolean {
  const cause = causeOf(error)
  const texts = [error, cause].flatMap((one) => [
    String(Reflect.get(Object(one), 'code')),
    String(Reflect.get(Object(one), 'message')),
  ])
  return !texts.some((text) => NOT_CONNECTED.test(text))
}
