import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../src/api/index.ts'
import { apiKey, connecting, transports } from '../_support.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** A server that sends an unsolicited `100 Continue` before every response. */
async function startEagerServer(isTogether: boolean) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n'
      const response = `${head}{"limit":1}`
      if (isTogether) return socket.write(CONTINUE + response)
      socket.write(CONTINUE)
      setTimeout(() => socket.write(response), 20)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// The `fetch` of Node.js closes the connection in this case, which a library cannot prevent.
describe.each(connecting)('an unsolicited 100 Continue through %s', (transport) => {
  it.each([true, false])('is skipped (in one packet with the response: %s)', async (isTogether) => {
    const baseUrl = await startEagerServer(isTogether)
    const client = createClient({ apiKey, baseUrl, env: {}, transport, retries: 0 })
    for (let calls = 0; calls < 3; calls += 1)
      expect(await client.organization.limits.getGlobal()).toEqual({ limit: 1 })
    await client.close()
  })
})

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
