import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLoopback } from '../text/loopback.ts'

/**
 * Lets web pages of this machine, such as those of a development server, call the endpoints. Other pages stay out: the keys
 * of the emulator are known to everybody. Answers the browser's question before a request, and returns whether it was one.
 */
export function allowLocalPages({ method, headers }: IncomingMessage, response: ServerResponse) {
  const { origin } = headers
  if (origin === undefined || !isLocalPage(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', '*')
  response.setHeader('vary', 'origin')
  const asked = headers['access-control-request-method']
  if (method !== 'OPTIONS' || asked === undefined) return false
  response.writeHead(204, {
    'access-control-allow-methods': asked,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-allow-private-network': 'true',
  })
  response.end()
  return true
}

function isLocalPage(origin: string) {
  return URL.canParse(origin) && isLoopback(new URL(origin).host)
}
