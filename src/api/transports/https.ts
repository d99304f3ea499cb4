import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { isLocal } from '../core/loopback.ts'
import {
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'
import { acceptEncoding, Body, endedEarly } from './_body.ts'
import { closedError } from './_closed.ts'
import { undiciTransport } from './undici.ts'

/**
 * Uses the modules of Node.js and keeps no connection: for commands that make one request and exit.
 * Loads in a few milliseconds. Where the environment names a proxy, undici does the work.
 */
export function httpsTransport(): Transport {
  const throughProxy = undiciTransport()
  const open = new Set<ClientRequest>()
  let isClosed = false
  return {
    async send(request) {
      if (needsProxy(request.origin)) return throughProxy.send(request)
      request.onPhase('connect')
      if (isClosed) throw new TransportFailure(closedError(), false)
      return exchange(request, open)
    },
    async close() {
      isClosed = true
      for (const sent of open) sent.destroy(closedError())
      await throughProxy.close?.()
    },
  }
}

function needsProxy(origin: string): boolean {
  const { https_proxy, HTTPS_PROXY, http_proxy, HTTP_PROXY } = process.env
  return Boolean(https_proxy || HTTPS_PROXY || http_proxy || HTTP_PROXY) && !isLocal(origin)
}

async function exchange(
  request: TransportRequest,
  open: Set<ClientRequest>,
): Promise<TransportResponse> {
  const progress = { isSent: false }
  const sent = start(request)
  open.add(sent)
  request.onEnd((reason) => sent.destroy(reason))
  try {
    const response = await responseTo(sent, request, progress)
    request.onPhase('body')
    const status = response.statusCode ?? 0
    const { headers } = response
    const body = new Body(status, request.maxResponseBytes)
    return { status, headers, ...(await readBody(response, headers, body)) }
  } catch (error) {
    throw new TransportFailure(error, progress.isSent)
  } finally {
    open.delete(sent)
    sent.destroy()
  }
}

/** Reads a body to its end. A longer one than allowed is cut, and its connection closed. */
async function readBody(stream: Readable, headers: ResponseHeaders, body: Body) {
  try {
    for await (const chunk of stream) {
      body.add(chunk)
      if (body.isTooLong) return body.finish(headers, 'too-long')
    }
    return body.finish(headers, 'complete')
  } catch (cause) {
    return body.finish(headers, 'broken', cause)
  }
}

function start({ origin, path, method, headers, body }: TransportRequest): ClientRequest {
  const { protocol, hostname, port } = new URL(origin)
  // Not imported: the ESM form of these modules loads undici on newer versions of Node.js.
  const module = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
  const length = Buffer.byteLength(body ?? '')
  const framing = body !== undefined || method !== 'GET' ? { 'content-length': length } : {}
  const sent = module.request({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path,
    method,
    headers: { 'accept-encoding': acceptEncoding, ...headers, ...framing },
    agent: false,
  })
  sent.end(body)
  return sent
}

function responseTo(sent: ClientRequest, request: TransportRequest, progress: { isSent: boolean }) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('socket', (socket) => {
      const ready = request.origin.startsWith('https:') ? 'secureConnect' : 'connect'
      socket.once(ready, () => {
        progress.isSent = true
        request.onPhase('headers')
      })
    })
    sent.on('response', resolve)
    // Stays for the life of the request: an error without a listener would end the process.
    sent.on('error', reject)
    sent.on('close', () => reject(endedEarly()))
  })
}
