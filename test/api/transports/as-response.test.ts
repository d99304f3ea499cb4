import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/api/index.ts'
import { apiKey, errorOf, transports, useFaultServer } from '../_support.ts'

const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251)
const path = '/'

describe.each(transports)('asResponse() through %s', (transport) => {
  const server = useFaultServer(transport)
  const ask = (options = {}) => server.makeClient().request({ method: 'GET', path }, options)

  it('gives status, headers and the bytes of any body, which is not checked', async () => {
    server.play([{ status: 201, headers: { 'x-mine': 'a' }, body: bytes }])
    const response = await ask().asResponse()
    expect(response).toBeInstanceOf(Response)
    expect([response.status, response.headers.get('x-mine')]).toEqual([201, 'a'])
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    expect(server.requests).toHaveLength(1)
  })

  it('is neither checked against a known shape nor limited in length', async () => {
    server.play([{ body: bytes }])
    // undici keeps what nobody has read yet.
    const limits = transport === 'undici' ? {} : { maxResponseBytes: 10 }
    const client = server.makeClient({ strict: true, ...limits })
    const response = await client.organization.limits.getGlobal().asResponse()
    expect((await response.arrayBuffer()).byteLength).toBe(bytes.length)
  })

  it('decompresses the body', async () => {
    const headers = { 'content-encoding': 'gzip' }
    server.play([{ headers, body: gzipSync(bytes) }])
    const response = await ask().asResponse()
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('has no body where there is none', async () => {
    server.play([{ status: 204, body: '' }])
    const deleting = server.makeClient().computers.delete({ computerId: 'a' })
    const { status, body } = await deleting.asResponse()
    expect([status, body]).toEqual([204, null])
  })

  it('rejects errors of the service, and repeats what may be repeated', async () => {
    server.play([{ status: 503 }, { status: 404, body: '{"detail":"no"}' }])
    expect(await errorOf(ask().asResponse())).toMatchObject({ status: 404, attempts: 2 })
  })

  it('makes the call itself resolve to the response', async () => {
    server.play([{ body: '{"a":1}' }])
    const call = ask()
    const response = await call.asResponse()
    expect(await call).toBe(response)
    expect(await response.json()).toEqual({ a: 1 })
  })

  it('gives a response that has been read before as well', async () => {
    server.play([{ headers: { 'x-mine': 'a' }, body: '{"a": 1}' }])
    const call = ask()
    expect(await call).toEqual({ a: 1 })
    const response = await call.asResponse()
    expect([response.headers.get('x-mine'), await response.text()]).toEqual(['a', '{"a": 1}'])
    expect(server.requests).toHaveLength(1)
  })

  it('gives the first page of a list', async () => {
    server.play([{ body: '{"reports":[]}' }])
    const response = await server.makeClient().readiness.reports().asResponse()
    expect(await response.json()).toEqual({ reports: [] })
  })

  describe('hands the body over as it arrives, so that', () => {
    const half = async (options = {}) => {
      server.play([{ body: bytes, fault: 'stall' }])
      const response = await ask(options).asResponse()
      const reader = response.body?.getReader()
      if (!reader) throw new Error('no body')
      for (let read = 0; read < bytes.length / 2; ) read += (await reader.read()).value?.length ?? 0
      return { reader, closed: server.requests[0]?.closed }
    }

    it('a signal ends it', async () => {
      const { signal, abort } = makeAbort()
      const { reader, closed } = await half({ signal })
      const reading = reader.read()
      abort()
      expect(await errorOf(reading)).toMatchObject({ kind: 'aborted', cause: 'enough' })
      await closed
    })

    it('cancelling it closes the connection', async () => {
      const { reader, closed } = await half()
      await reader.cancel()
      await closed
    })

    it('closing the client ends it', async () => {
      server.play([{ body: bytes, fault: 'stall' }])
      const client = server.makeClient()
      const response = await client.request({ method: 'GET', path }).asResponse()
      const reading = errorOf(response.arrayBuffer())
      await client.close()
      expect(await reading).toMatchObject({ kind: 'network', phase: 'body' })
    })

    it('a connection that ends in it is an error', async () => {
      server.play([{ body: bytes, fault: 'cut' }])
      const response = await ask().asResponse()
      expect(await errorOf(response.arrayBuffer())).toMatchObject({
        kind: 'network',
        phase: 'body',
      })
    })

    it('no limit of time ends it', async () => {
      server.play([{ body: bytes, fault: 'drip' }])
      const { response, limit } = await withinLimit(250)
      const reader = response.body?.getReader()
      const until = Date.now() + limit
      while (Date.now() <= until) expect((await reader?.read())?.done).toBe(false)
      await reader?.cancel()
    })

    /** The first limit in which the headers arrive. */
    async function withinLimit(limit: number): Promise<{ response: Response; limit: number }> {
      const asked = ask({ timeoutMs: limit, deadlineMs: limit }).asResponse()
      const response = await asked.catch(() => undefined)
      return response ? { response, limit } : withinLimit(limit * 2)
    }

    it('a body without an end takes no memory if nobody reads it', async () => {
      server.play([{ fault: 'endless' }])
      const response = await ask({ maxResponseBytes: 100_000 }).asResponse()
      // The others hold the server back.
      if (transport === 'undici') await server.requests[0]?.closed
      else await response.body?.cancel()
    })

    it('a body without an end is read piece by piece', async () => {
      server.play([{ fault: 'endless' }])
      const response = await ask().asResponse()
      const reader = response.body?.getReader()
      for (let chunks = 0; chunks < 10; chunks += 1)
        expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
      await reader?.cancel()
      await server.requests[0]?.closed
    })
  })
})

it('a transport that responds with text can be asked for the response as well', async () => {
  const transport = {
    send: async () => ({ status: 200, headers: {}, text: '{"a":1}', end: 'complete' as const }),
  }
  const client = createClient({ apiKey, baseUrl: 'http://localhost', env: {}, transport })
  const response = await client.request({ method: 'GET', path }).asResponse()
  expect(await response.json()).toEqual({ a: 1 })
})

function makeAbort() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort('enough') }
}
