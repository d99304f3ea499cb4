import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import {
  type CallReport,
  ConfigError,
  createClient,
  HttpError,
  type IncomingResponse,
  type OutgoingRequest,
} from '../../../src/api/index.ts'
import { version } from '../../../src/api/version.ts'
import { apiKey, errorOf, json, transports, useFaultServer } from '../_support.ts'

const headers = { 'x-request-id': 'req_7', 'x-note': 'hello' }

describe.each(transports)('call details through %s', (transport) => {
  const faults = useFaultServer(transport)
  const { makeClient } = faults

  it('withResponse returns the data with status, headers and request ID', async () => {
    faults.play([{ status: 503 }, { headers, body: '{"limit": 7}' }])
    const calling = makeClient().organization.limits.getGlobal()
    const response = await calling.withResponse()
    expect(response).toMatchObject({
      data: { limit: 7 },
      status: 200,
      headers: { 'x-note': 'hello' },
      requestId: 'req_7',
      attempts: 2,
      elapsedMs: expect.any(Number),
    })
    expect(await calling).toBe(response.data)
  })

  it('withResponse works for lists and requests, and rejects like the call', async () => {
    const body = json({ messages: [], pagination: { hasMore: false } })
    faults.play([{ headers, body }])
    const client = makeClient()
    const list = client.sessions.messages.list({ sessionId: 's' })
    expect(await list.withResponse()).toMatchObject({ data: { messages: [] }, requestId: 'req_7' })
    const raw = client.request({ method: 'GET', path: '/x' })
    expect(await raw.withResponse()).toMatchObject({ status: 200, requestId: 'req_7' })
    faults.play([{ status: 400, headers }])
    const error = await errorOf(client.organization.limits.getGlobal().withResponse())
    expect(error).toMatchObject({ kind: 'http', requestId: 'req_7' })
  })

  it.each(['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray'])(
    'an error has the request ID of the header %s',
    async (name) => {
      faults.play([{ status: 502, headers: { [name]: 'req_8' } }])
      const error = await errorOf(makeClient({ retries: 0 }).organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'http', requestId: 'req_8' })
    },
  )

  it('HttpError has the response headers, redacted and not in its JSON', async () => {
    faults.play([{ status: 400, headers: { ...headers, 'x-echo': apiKey } }])
    const error = await errorOf(makeClient().organization.limits.getGlobal())
    if (!(error instanceof HttpError)) throw error
    expect(error.headers).toMatchObject({ 'x-note': 'hello', 'x-echo': '[secret]' })
    expect(json(error)).not.toContain('hello')
  })

  it('attempt reports have the call ID and the elapsed time', async () => {
    faults.play([
      { status: 503, waitMs: 60 },
      { headers, body: '{"limit": 1}' },
    ])
    const reports: CallReport[] = []
    const client = makeClient({ onAttempt: (report) => reports.push(report) })
    await client.organization.limits.getGlobal()
    await client.organization.limits.getGlobal()
    const ids = reports.map(({ callId }) => callId)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
    expect(reports.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
    expect(reports[0]?.elapsedMs).toBeGreaterThanOrEqual(50)
    expect(reports[1]?.requestId).toBe('req_7')
  })

  it('HOOKBELL_LOG=debug logs every attempt without the key or inputs', async () => {
    const write = vi.spyOn(console, 'error').mockReturnValue(undefined)
    faults.play([{ status: 503 }, { headers: { 'x-request-id': apiKey }, body: '{"id": "c"}' }])
    await makeClient({ env: { HOOKBELL_LOG: 'debug' } }).computers.get({ computerId: 'mine' })
    const lines = write.mock.calls.map(([line]) => String(line))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /^hookbell api: call \d+, attempt 1: GET \/api\/v0\/computers\/\{computerId\}: 503 in \d+ ms, next attempt in 0 ms$/,
    )
    expect(lines[1]).toMatch(/attempt 2: .*: 200 in \d+ ms, request \[secret\]$/)
    expect(lines.join()).not.toContain('mine')
  })

  it('the user agent contains the version', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    await makeClient().organization.limits.getGlobal()
    expect(faults.requests[0]?.headers['user-agent']).toBe(`hookbell/${version}`)
  })

  it('a derived client has its own options and shares the connections', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    const client = makeClient({ headers: { 'x-one': '1' } })
    const derived = client.withOptions({ apiKey: 'another-key-1', headers: { 'x-two': '2' } })
    await client.organization.limits.getGlobal()
    await derived.organization.limits.getGlobal()
    const [first, second] = faults.requests
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'x-one': '1' })
    expect(second?.headers).toMatchObject({
      authorization: 'Bearer another-key-1',
      'x-one': '1',
      'x-two': '2',
    })
    if (transport === 'undici') expect(faults.connections).toBe(1)
    await derived.close()
    expect(await errorOf(client.organization.limits.getGlobal())).toMatchObject({ kind: 'network' })
  })

  it('a call can send an extra query, body and headers', async () => {
    faults.play([{ body: '{"messageId": "m", "status": "idle"}' }])
    await makeClient().sessions.messages.add(
      { sessionId: 's', text: 'hi' },
      {
        extraQuery: { preview: true },
        extraBody: { priority: 5 },
        extraHeaders: { 'x-trace': 't1' },
      },
    )
    const [request] = faults.requests
    expect(request?.target).toBe('/api/v0/sessions/s/messages?preview=true')
    expect(JSON.parse(request?.body ?? '')).toEqual({ text: 'hi', priority: 5 })
    expect(request?.headers['x-trace']).toBe('t1')
  })

  it('hooks see every attempt, and beforeRequest can add headers but not replace the key', async () => {
    faults.play([{ status: 503 }, { body: '{"limit": 1}' }])
    const requests: OutgoingRequest[] = []
    const responses: IncomingResponse[] = []
    const client = makeClient({
      beforeRequest: async (request) => {
        requests.push(request)
        return { Traceparent: `t${request.attempt}`, authorization: 'stolen', Accept: 'text/html' }
      },
      afterResponse: (response) => {
        responses.push(response)
        throw new Error('mine')
      },
    })
    await client.organization.limits.getGlobal()
    expect(faults.requests.map((one) => one.headers.traceparent)).toEqual(['t1', 't2'])
    const { authorization, accept } = faults.requests[0]?.headers ?? {}
    expect({ authorization, accept }).toEqual({
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
    })
    expect(responses.map(({ status }) => status)).toEqual([503, 200])
    expect(requests[0]).toMatchObject({ method: 'GET', attempt: 1 })
    expect(json(requests)).not.toContain(apiKey)
  })

  it('beforeRequest cannot change how the request is framed, and undefined adds nothing', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    const own = { 'transfer-encoding': 'chunked', 'Content-Length': '1', host: 'x', te: 'trailers' }
    const trace = undefined as unknown as string
    const beforeRequest = () => ({ ...own, trace, 'x-own': '1' })
    await makeClient({ beforeRequest }).organization.limits.setGlobal({ limit: null })
    const { headers, body } = faults.requests[0] ?? {}
    expect(headers).toMatchObject({ 'x-own': '1', 'content-length': '14' })
    expect(Object.keys(headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(transfer-encoding|te|trace)$/)]),
    )
    expect(body).toBe('{"limit":null}')
  })

  it.each([
    ['.x-sign', { 'x-sign': 'secret-signature\n' }],
    ['.x-sign', { 'x-sign': 'secret-signature\u20ac' }],
    ['.x sign', { 'x sign': 'secret-signature' }],
    ['', new Headers({ 'x-sign': 'secret-signature' })],
  ])('the malformed header %s is not sent, and its value not shown', async (field, headers) => {
    faults.play([{ body: '{"messageId": "m", "status": "idle"}' }])
    const beforeRequest = () => headers as Record<string, string>
    const call = makeClient({ beforeRequest }).sessions.messages.add({ sessionId: 's', text: 't' })
    const error = await errorOf(call)
    expect(error).toMatchObject({
      kind: 'config',
      message: expect.stringContaining(`beforeRequest${field}: `),
    })
    expect(error).not.toHaveProperty('outcome')
    expect(inspect(error, { depth: 9 })).not.toContain('secret-signature')
    expect(faults.requests).toEqual([])
  })

  it.each([new Error('no signature'), new ConfigError('the client of the hook has no key')])(
    'an error in beforeRequest rejects the call before anything is sent: %s',
    async (cause) => {
      faults.play([{}])
      const beforeRequest = () => Promise.reject(cause)
      const client = makeClient({ beforeRequest })
      const error = await errorOf(client.organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'config', message: 'beforeRequest failed' })
      expect(faults.requests).toEqual([])
    },
  )
})

it('await using closes a client at the end of its block', async () => {
  let closed = 0
  const transport = {
    send: () => Promise.reject(new Error('no')),
    close: async () => void closed++,
  }
  {
    await using client = createClient({ apiKey, env: {}, transport })
    expect(client.wiki).toBeDefined()
  }
  expect(closed).toBe(1)
})
