import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { process } from '../timers.ts'
import {
  isLocal,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  wantsStream,
} from '../transport.ts'
import { acceptEncoding, closable, decompressed, PartialResponse } from './_body.ts'
import { proxiesOf, undiciTransport } from './undici.ts'

/**
 * Uses the modules of Node.js and keeps no connection: for commands that make one request and exit.
 * Loads in a few milliseconds. If the environment sets a proxy, undici sends the request.
 */
export function httpsTransport(): Transport {
  const throughProxy = undiciTransport()
  const direct = closable(exchange)
  return {
    send: (request) => (needsProxy(request.origin) ? throughProxy : direct).send(request),
    async close() {
      await direct.close()
      await throughProxy.close?.()
    },
  }
}

function needsProxy(origin: string): boolean {
  const { httpProxy, httpsProxy } = proxiesOf(process.env)
  return Boolean(httpProxy || httpsProxy) && !isLocal(origin)
}

async function exchange(
  request: TransportRequest,
  onEnd: (end: (reason: Error) => void) => void,
): Promise<TransportResponse> {
  request.onPhase('connect')
  let isSent = false
  let isStreamed = false
  const sent = start(request)
  onEnd((reason) => sent.destroy(reason))
  const ready = request.origin.startsWith('https:') ? 'secureConnect' : 'connect'
  sent.on('socket', (socket) =>
    socket.once(ready, () => {
      isSent = true
      request.onPhase('headers')
    }),
  )
  try {
    const response = await responseTo(sent)
    request.onPhase('body')
    const { statusCode = 0, headers } = response
    isStreamed = wantsStream(request, statusCode)
    if (isStreamed)
      return {
        status: statusCode,
        headers,
        text: '',
        body: decompressed(response, headers),
        end: 'complete',
      }
    const partial = new PartialResponse(statusCode, headers, request.maxResponseBytes)
    return await readBody(response, partial)
  } catch (error) {
    throw new TransportFailure(error, isSent)
  } finally {
    if (!isStreamed) sent.destroy()
  }
}

/** Reads a body to its end. A body beyond the limit is truncated, and its connection is closed. */
async function readBody(stream: Readable, partial: PartialResponse) {
  try {
    for await (const chunk of stream) if (!partial.add(chunk)) return partial.finish('too-long')
    return partial.finish('complete')
  } catch (cause) {
    return partial.finish('broken', cause)
  }
}

function start({ origin, path, method, headers, body }: TransportRequest): ClientRequest {
  const { protocol, hostname, port } = new URL(origin)
  // Not imported: the ESM form of these modules loads undici on newer versions of Node.js.
  const module = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = module.request({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path,
    method,
    headers: { 'accept-encoding': acceptEncoding, ...headers, ...length },
    agent: false,
  })
  sent.end(body)
  return sent
}

function responseTo(sent: ClientRequest) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    // Stays for the life of the request: an error without a listener would end the process.
    sent.on('error', reject)
    sent.on('close', () => reject(new Error('the connection ended before the response')))
  })
}
