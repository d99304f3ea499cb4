import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeError, HookbellError, usageError } from '../../errors.ts'
import { isLoopback } from '../../text/loopback.ts'

export interface Place {
  host: string
  port: number
}

/** Redis is queried at most once in this time, however many browsers show the page. */
const FRESH_MS = 2000

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Parses `HOST:PORT`. @throws HookbellError E_USAGE unless HOST is a loopback address */
export function parsePlace(text: string): Place {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (!isLoopback(host) || Number(port) > 65_535) {
    throw usageError(
      `hub: --page must be on this machine, not "${text}"`,
      'Such as 127.0.0.1:8765. From elsewhere: ssh -L 8765:127.0.0.1:8765 HUB',
    )
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** Serves one page, to this machine only. @param render is called at most every two seconds */
export async function startPage({ host, port }: Place, render: () => Promise<string>) {
  let page: { at: number; text: Promise<string> } | undefined
  const fresh = () => {
    if (!page || performance.now() - page.at > FRESH_MS)
      page = { at: performance.now(), text: render() }
    return page.text
  }
  const server = createServer((request, response) => void answer(request, response, fresh))
  server.listen(port, host)
  await once(server, 'listening').catch((cause: unknown) => {
    const message = `hub: no page on ${host}:${port}: ${describeError(cause)}`
    throw new HookbellError('E_UNAVAILABLE', message, { hint: 'Choose another port' })
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  { headers, method, url }: IncomingMessage,
  response: ServerResponse,
  fresh: () => Promise<string>,
) {
  const refuse = (status: number, text: string) =>
    response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain' }).end(`${text}\n`)
  // Against DNS rebinding: the host name of a foreign web page may resolve to this machine.
  if (!isOwnName(headers.host)) return refuse(403, 'Ask for it by its address')
  if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'Nothing can be changed here')
  if (url !== '/') return refuse(404, 'There is one page: /')
  try {
    const text = await fresh()
    response.writeHead(200, HEADERS).end(method === 'HEAD' ? undefined : text)
  } catch {
    refuse(503, 'Redis does not answer')
  }
}

function isOwnName(host = ''): boolean {
  return URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname)
}
