import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../src/api/index.ts'
import { apiKey, connecting, transports, useFaultServer } from '../_support.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** A server that sends `100 Continue` before every response, although nobody has asked for it. */
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

// The `fetch` of Node.js closes the connection then, and there is nothing that a library could do.
describe.each(connecting)('an unasked 100 Continue through %s', (transport) => {
  it.each([true, false])('is skipped (in one piece with the response: %s)', async (isTogether) => {
    const baseUrl = await startEagerServer(isTogether)
    const client = createClient({ apiKey, baseUrl, env: {}, transport, retries: 0 })
    for (let calls = 0; calls < 3; calls += 1)
      expect(await client.organization.limits.getGlobal()).toEqual({ limit: 1 })
    await client.close()
  })
})

describe.each(transports)('fake timers of a test and %s', (transport) => {
  const faults = useFaultServer(transport)
  afterEach(() => void vi.useRealTimers())

  it('do not stop calls, many in a row', async () => {
    faults.play(({ target }) =>
      target.includes('none') ? { status: 503 } : { body: '{"limit": 1}' },
    )
    const client = faults.makeClient()
    vi.useFakeTimers()
    for (let calls = 0; calls < 20; calls += 1)
      expect(await client.organization.limits.getGlobal()).toEqual({ limit: 1 })
    const failing = client.computers.get({ computerId: 'none' }).catch(({ kind }) => kind)
    expect(await failing).toBe('http')
  })
})
