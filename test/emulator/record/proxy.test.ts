import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listEndpoints } from '../../../src/api/endpoints/index.ts'
import { createClient } from '../../../src/api/index.ts'
import { methodOf } from '../../../src/commands/api/call-endpoint.ts'
import { type RecorderOptions, startRecorder } from '../../../src/emulator/record/proxy.ts'
import { startTestEmulator } from '../_support.ts'

async function startTestRecorder(baseUrl: string, more: Partial<RecorderOptions> = {}) {
  const notes: string[] = []
  const recorder = await startRecorder({ baseUrl, onNote: (note) => notes.push(note), ...more })
  onTestFinished(() => recorder.close())
  return { ...recorder, notes }
}

async function startService(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('recorder: the proxy', () => {
  it('records what the client calls, so that another emulator answers it', async () => {
    const service = await startTestEmulator()
    const { apiKey } = service
    const recorder = await startTestRecorder(service.url)
    const client = createClient({ baseUrl: recorder.url, appUrl: recorder.url, apiKey, env: {} })
    onTestFinished(() => client.close())
    const reads = listEndpoints().filter(({ method }) => method === 'GET')
    const writes = listEndpoints().filter(({ method }) => method !== 'GET')
    for (const endpoint of [...reads, ...writes]) await methodOf(client, endpoint)(endpoint.example)
    expect(service.requests().map(({ endpoint }) => endpoint)).toEqual(
      [...reads, ...writes].map(({ id }) => id),
    )
    const seed = recorder.seed()
    const text = JSON.stringify(seed)
    for (const word of ['fk-emulator', 'ada', 'shop', 'What is this', 'deploy', 'bo@example.com'])
      expect(text).not.toContain(word)
    expect(recorder.notes).toEqual([...new Set(recorder.notes)])
    // The computer of the listed session was not seen.
    expect(seed.computers).toHaveLength(2)
    expect(seed.sessions).toHaveLength(2)
    expect(seed.limits?.global).toBe(2_000_000)
    const emulator = await startTestEmulator({ seed })
    expect((await emulator.get(`/api/v0/computers/${emulator.computerId}`)).status).toBe(200)
    const listed = seed.sessions?.find(({ messages = [] }) => messages.length > 0)
    const path = `/api/v0/sessions/${listed?.id}/messages`
    expect((await emulator.get(path)).body.messages.length).toBeGreaterThan(0)
    const rotation = `/api/v0/service-accounts/${emulator.serviceAccountId}/api-keys/${emulator.keyId}/rotate`
    expect((await emulator.post(rotation, {})).status).toBe(200)
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'passes %s, its headers and its body on unchanged',
    async (method) => {
      const url = await startService(async (incoming, response) => {
        const { authorization } = incoming.headers
        const body = await text(incoming)
        response.writeHead(207, { 'x-seen': `${incoming.method} ${incoming.url}` })
        response.end(JSON.stringify({ authorization, body }))
      })
      const recorder = await startTestRecorder(`${url}/prefix/`)
      const body = method === 'GET' ? undefined : 'x'.repeat(200_000)
      const headers = { authorization: 'Bearer fk-real' }
      const response = await fetch(`${recorder.url}/any?a=1&a=%20`, { method, body, headers })
      expect(response.status).toBe(207)
      expect(response.headers.get('x-seen')).toBe(`${method} /prefix/any?a=1&a=%20`)
      expect(await response.json()).toEqual({ authorization: 'Bearer fk-real', body: body ?? '' })
      expect(recorder.notes).toEqual([
        'requests for unknown endpoints are passed through and left out',
      ])
      expect(JSON.stringify(recorder.seed())).not.toContain('fk-real')
    },
  )

  it('passes a response on as it comes', async () => {
    let finish = () => undefined as unknown
    const url = await startService((_, response) => {
      response.write('first')
      finish = () => response.end('last')
    })
    const recorder = await startTestRecorder(url)
    const { body } = await fetch(`${recorder.url}/stream`)
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    expect(await reader?.read()).toMatchObject({ value: 'first' })
    finish()
    expect(await reader?.read()).toMatchObject({ value: 'last' })
  })

  it('passes a connection on that breaks in the body', async () => {
    const url = await startService((_, response) => {
      response.write('{"limit":', () => response.destroy())
    })
    const recorder = await startTestRecorder(url)
    const response = await fetch(`${recorder.url}/api/v0/organization/usage/limits/global`)
    await expect(response.text()).rejects.toThrow()
    expect(recorder.seed().limits?.global).toBeNull()
  })

  it('says 502 of a service that cannot be reached, without its URL', async () => {
    const closed = await startTestRecorder('http://127.0.0.1:1/secret-path')
    const response = await fetch(`${closed.url}/api/v0/wiki/w`)
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('secret-path')
  })

  it.each([
    [{ host: 'evil.example' }, 403],
    [{ origin: 'http://localhost:3000' }, 403],
  ])('rejects a request with %j, and passes nothing on', async (headers, status) => {
    const service = await startTestEmulator()
    const recorder = await startTestRecorder(service.url)
    const sent = request(`${recorder.url}/api/v0/wiki/w`, { headers }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    expect(response.statusCode).toBe(status)
    expect(service.requests()).toEqual([])
  })

  it.each(['http://example.com', 'ftp://localhost', 'https://user:pw@example.com', 'x'])(
    'refuses to send the key to %s',
    async (baseUrl) => {
      await expect(startRecorder({ baseUrl, onNote: () => undefined })).rejects.toThrow(
        '--base-url takes a URL such as https://api.example.com',
      )
    },
  )

  it('says what it cannot read, once', async () => {
    const url = await startService((_, response) => {
      response.writeHead(200, { 'content-encoding': 'br' }).end('xx')
    })
    const recorder = await startTestRecorder(url)
    for (const _ of [1, 2]) await (await fetch(`${recorder.url}/api/v0/wiki/w`)).body?.cancel()
    expect(recorder.notes).toEqual([
      'wiki.get: a response that is compressed or too long is left out',
    ])
  })
})
