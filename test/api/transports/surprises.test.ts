import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../src/api/index.ts'
import { apiKey, connecting, transports } from '../_support.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'

const RESPONSE =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"limit":1}'

async function startServer(onRequest: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => onRequest(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that sends an interim response, such as an unsolicited `100 Continue`, before every response. */
function startEagerServer(interim: string, isTogether: boolean) {
  return startServer((socket) => {
    if (isTogether) return void socket.write(interim + RESPONSE)
    socket.write(interim)
    setTimeout(() => socket.write(RESPONSE), 20)
  })
}

// Without `fetch`: that of Node.js closes the connection in this case, which a library cannot prevent.
describe.each(connecting)('an unsolicited 100 Continue through %s', (transport) => {
  it.each([
    ['alone', CONTINUE],
    ['twice', CONTINUE + CONTINUE],
    ['after early hints', HINTS + CONTINUE],
    ['before early hints', CONTINUE + HINTS],
  ])('is ignored %s, in one packet with the response or before it', async (_, interim) => {
    for (const isTogether of [true, false]) await callThrice(interim, isTogether)
  })

  async function callThrice(interim: string, isTogether: boolean) {
    const baseUrl = await startEagerServer(interim, isTogether)
    const client = createClient({ apiKey, baseUrl, env: {}, transport, retries: 0 })
    for (let calls = 0; calls < 3; calls += 1)
      expect(await client.organization.limits.getGlobal()).toEqual({ limit: 1 })
    await client.close()
  }
})

describe.each(transports)(
  'a server that closes each connection unannounced, through %s',
  (transport) => {
    it('loses no request that follows', async () => {
      const baseUrl = await startServer((socket) => void socket.end(RESPONSE))
      const client = createClient({ apiKey, baseUrl, env: {}, transport, retries: 0 })
      for (let calls = 0; calls < 10; calls += 1)
        expect(await client.request({ method: 'POST', path: '/' })).toEqual({ limit: 1 })
      await client.close()
    })
  },
)

describe.each(transports)('fake timers with %s', (transport) => {
  afterEach(() => void vi.useRealTimers())

  it('do not block calls or retries', async () => {
    // This server uses no timers, since they would be fake as well.
    const server = createHttpServer(({ url }, response) => {
      response.statusCode = url?.includes('none') ? 503 : 200
      response.end('{"limit":1}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = createClient({ apiKey, baseUrl, env: {}, transport })
    await client.organization.limits.getGlobal()
    vi.useFakeTimers()
    for (let calls = 0; calls < 20; calls += 1)
      expect(await client.organization.limits.getGlobal()).toEqual({ limit: 1 })
    const failing = client.computers.get({ computerId: 'none' }).catch(({ kind }) => kind)
    expect(await failing).toBe('http')
    vi.useRealTimers()
    await client.close()
  })
})
