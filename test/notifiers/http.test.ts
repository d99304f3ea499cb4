import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, LookupFunction, Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { request } from '../../src/notifiers/_http.ts'
import { makeAuthority } from '../support/authority.ts'
import { startSleepingServer } from '../support/deaf-server.ts'
import { startFaultServer } from '../support/fault-server.ts'
import { startReceiver } from '../support/receiver.ts'

const { signal } = new AbortController()
const post = { method: 'POST', headers: {}, body: 'grüße', signal }

describe('notifiers: one HTTP request', () => {
  it('sends the body with its length in bytes', async () => {
    const { url, received } = await startReceiver()
    const headers = { 'user-agent': 'hookbell' }
    expect(await request(`${url}/a?b=1`, { ...post, headers })).toMatchObject({
      status: 200,
      statusText: 'OK',
      text: 'ok',
    })
    expect(received).toMatchObject([
      { method: 'POST', path: '/a?b=1', body: 'grüße', headers: { 'content-length': '7' } },
    ])
  })

  it('reuses a connection', async () => {
    const { url, sockets } = await startCounting(() => 'answer')
    await request(url, post)
    await request(url, post)
    expect(sockets.size).toBe(1)
  })

  it('repeats the request if a kept connection was closed in the meantime', async () => {
    const { url, sockets } = await startCounting((count) => (count === 2 ? 'close' : 'answer'))
    await request(url, post)
    expect((await request(url, post)).text).toBe('ok')
    expect(sockets.size).toBe(2)
  })

  it('does not repeat the request if a new connection is closed', async () => {
    const { url, counted } = await startCounting(() => 'close')
    await expect(request(url, post)).rejects.toThrow()
    expect(counted()).toBe(1)
  })

  it('does not repeat the request if a kept connection is closed inside the answer', async () => {
    const server = await startFaultServer([{}, { fault: 'cut', body: '12345678' }])
    onTestFinished(() => server.close())
    await request(server.url, post)
    await expect(request(server.url, post)).rejects.toThrow('closed inside the answer')
    expect(server).toMatchObject({ connections: 1, requests: { length: 2 } })
  })

  it('gives each address of a host more time than a slow network needs', async () => {
    const { port, wake } = await startSleepingServer()
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
    const lookup: LookupFunction = (_, __, callback) => callback(null, addresses)
    const answer = request(`http://slow.test:${port}`, { ...post, lookup })
    setTimeout(wake, 300)
    expect(await answer).toMatchObject({ status: 200, text: 'ok' })
  })

  it('rejects a certificate of an unknown authority', async () => {
    const authority = await makeAuthority()
    onTestFinished(authority.remove)
    const own = await authority.issue('IP:127.0.0.1')
    const server = createSecureServer(own, (_, response) => response.end('ok'))
    const url = await listen(server, 'https')
    await expect(request(url, post)).rejects.toThrow(/certificate/)
  })
})

/** Starts a server that answers or closes the connection, depending on the number of the request. */
async function startCounting(whatToDo: (count: number) => 'answer' | 'close') {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((incoming, response) => {
    sockets.add(incoming.socket)
    count += 1
    const action = whatToDo(count)
    incoming.resume().on('end', () => {
      if (action === 'close') incoming.socket.destroy()
      else response.end('ok')
    })
  })
  return { url: await listen(server, 'http'), sockets, counted: () => count }
}

async function listen(server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}
