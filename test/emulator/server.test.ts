import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/api/index.ts'
import { EmulatorError, startEmulator } from '../../src/emulator/index.ts'
import { makeJournal, recordedBody } from '../../src/emulator/journal.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { reopenablePort } from '../support/port.ts'
import { startTestEmulator, type TestEmulator } from './_support.ts'

const GLOBAL = '/api/v0/organization/usage/limits/global'
const SCAN = '/api/v0/automations/ci/scan'

function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('the server', () => {
  it('listens on one port of the loopback interface, or on two', async () => {
    const one = await startTestEmulator()
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(one.appUrl).toBe(one.url)
    const two = await startTestEmulator({ appPort: 0 })
    expect(two.appUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(two.appUrl).not.toBe(two.url)
  })

  it('listens on the given port, and reports a port in use', async () => {
    const port = await reopenablePort()
    const first = await startTestEmulator({ port })
    const refusal = await startEmulator({ port }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EmulatorError)
    expect(String(refusal)).toContain(`port ${port} is in use`)
    await expect(startEmulator({ appPort: port })).rejects.toThrow(`port ${port} is in use`)
    await first.close()
    const second = await startTestEmulator({ port })
    expect(second.url).toBe(first.url)
  })

  it.each([
    ['apport', 'Did you mean "appPort"?'],
    ['statefile', 'Did you mean "stateFile"?'],
    ['verbose', 'Known: port, appPort, seed, faults, stateFile, now'],
  ])('refuses the unknown option %s', async (name, hint) => {
    const refusal = await startEmulator({ [name]: 1 }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EmulatorError)
    expect(refusal).toMatchObject({ message: `startEmulator: unknown option "${name}"`, hint })
  })

  it.each([
    { port: '1x' as unknown as number },
    { port: 65_536 },
    { appPort: -1 },
    { appPort: Number.NaN },
  ])('refuses the port %j', async (options) => {
    const refusal = await startEmulator(options).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EmulatorError)
    expect(refusal).toMatchObject({
      message: `startEmulator: ${Object.keys(options)[0]} must be a whole number from 0 to 65535`,
    })
  })

  it('adds a request ID to every response', async () => {
    const emulator = await startTestEmulator()
    const ids = [await emulator.get(SCAN), await emulator.get('/nope')]
    expect(ids.map(({ headers }) => headers.get('x-request-id'))).toEqual(['req_1', 'req_2'])
  })

  it.each([
    '/',
    '/nope',
    '/api/v0',
    '/api/v0/automations/ci/scan/',
    '/api/v0/computers/a/b/c',
    '//api/v0/wiki',
  ])('responds with 404 to the path %s', async (path) => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get(path)
    expect(status).toBe(404)
    expect(body).toEqual({ detail: `No endpoint at ${path}`, status: 404, title: 'Not Found' })
  })

  it('responds to an unknown analytics path with the analytics error format', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get('/api/v1/analytics/nope')
    expect(status).toBe(404)
    expect(Object.keys(body).sort()).toEqual(['detail', 'requestId', 'status', 'title'])
  })

  it('responds to HEAD like to GET, without a body', async () => {
    const emulator = await startTestEmulator()
    const whole = await emulator.get(SCAN)
    const head = await emulator.call('HEAD', SCAN)
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(whole.text.length))
    expect((await emulator.call('HEAD', GLOBAL, { key: null })).status).toBe(401)
  })

  it('responds to OPTIONS with the allowed methods', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.call('OPTIONS', GLOBAL)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, PUT'])
  })

  it('accepts the Bearer scheme in any letter case, and no other scheme', async () => {
    const emulator = await startTestEmulator()
    for (const [scheme, status] of [
      ['Bearer', 200],
      ['bearer', 200],
      ['Basic', 401],
      ['', 401],
    ] as const) {
      const authorization = `${scheme} ${emulator.apiKey}`
      expect((await emulator.get(SCAN, { headers: { authorization } })).status).toBe(status)
    }
  })

  it.each([undefined, 'text/plain', 'application/vnd.api+json; charset=latin1'])(
    'accepts JSON with the content type %s',
    async (type) => {
      const emulator = await startTestEmulator()
      const headers: Record<string, string> = type ? { 'content-type': type } : {}
      const answer = await emulator.put(GLOBAL, '{"limit":2000000}', { headers })
      expect(answer.status).toBe(200)
    },
  )

  it.each(['{', 'limit=1', '{"limit":2000000', '{"limit":2000000}}'])(
    'responds with 400 to a body that is not JSON: %j',
    async (text) => {
      const emulator = await startTestEmulator()
      const { status, body } = await emulator.put(GLOBAL, text)
      expect(status).toBe(400)
      expect(body.detail).toMatch(/^body: not JSON: /)
    },
  )

  it.each(['__proto__', 'constructor', 'toString'])('rejects an input named %s', async (name) => {
    const emulator = await startTestEmulator()
    const inBody = await emulator.put(GLOBAL, `{"limit":null,"${name}":{"a":1}}`)
    const inQuery = await emulator.get(`/api/v0/sessions/${emulator.sessionId}/messages?${name}=1`)
    for (const { status, body } of [inBody, inQuery]) {
      expect(status).toBe(400)
      expect(body.detail).toContain(name)
    }
  })

  it('responds with 413 to a body that is too large, and keeps working', async () => {
    const seed = { behavior: { maxBodyBytes: 1000 } }
    const emulator = await startTestEmulator({ seed })
    const body = (length: number) => `{"limit":null}${' '.repeat(length - 14)}`
    expect((await emulator.put(GLOBAL, body(1000))).status).toBe(200)
    const answer = await emulator.put(GLOBAL, body(1001))
    expect([answer.status, answer.body.title]).toEqual([413, 'Payload Too Large'])
    expect((await emulator.put(GLOBAL, body(5_000_000))).status).toBe(413)
    expect((await emulator.get(GLOBAL)).status).toBe(200)
  })

  it('rejects a body that is nested too deeply, and keeps working', async () => {
    const emulator = await startTestEmulator()
    const nested = (levels: number) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect((await emulator.post('/api/v0/wiki', nested(99))).status).toBe(200)
    expect((await emulator.post('/api/v0/wiki', '{"x":"[[[\\"[[["}')).status).toBe(200)
    for (const levels of [100, 5000, 1_000_000]) {
      const { status, body } = await emulator.post('/api/v0/wiki', nested(levels))
      expect(status).toBe(400)
      expect(body.detail).toBe('body: nested deeper than 100 levels')
    }
    expect((await emulator.get('/__emulator/state')).status).toBe(200)
    expect(emulator.requests()).toHaveLength(5)
  })

  it('does not normalize paths, and rejects broken percent-encoding', async () => {
    const emulator = await startTestEmulator()
    for (const [target, status] of [
      ['/api/v0/computers/..', 404],
      ['/api/v0/x/../wiki', 404],
      ['//[', 404],
      ['/api/v0/computers/%', 400],
      ['/api/v0/computers/%E0%A4%A', 400],
      [`http://example.com${SCAN}`, 200],
      [`${SCAN}?`, 200],
    ] as const) {
      expect(await rawStatus(emulator, target), target).toBe(status)
    }
  })

  it('survives a client that disconnects in the middle of a request', async () => {
    const emulator = await startTestEmulator()
    const { port, hostname } = new URL(emulator.url)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname)
      socket.on('close', () => resolve())
      socket.write(`PUT ${GLOBAL} HTTP/1.1\r\nhost: a\r\ncontent-length: 50\r\n\r\n{`, () =>
        socket.destroy(),
      )
    })
    expect((await emulator.get(SCAN)).status).toBe(200)
  })

  it('closes although a client keeps its connection open', async () => {
    const emulator = await startTestEmulator()
    await emulator.get(SCAN)
    await emulator.close()
    await expect(emulator.get(SCAN)).rejects.toThrow()
  })
})

describe('the request log', () => {
  it('contains each request and the status of its response', async () => {
    const emulator = await startTestEmulator()
    await emulator.put(`${GLOBAL}?a=1&a=2&b=3`, { limit: null }, { headers: { 'x-mine': 'yes' } })
    await emulator.get('/nope', { key: 'fk-wrong-secret' })
    const [first, second] = emulator.requests()
    expect(first).toMatchObject({
      number: 1,
      at: emulator.clock.now(),
      host: 'base',
      method: 'PUT',
      path: GLOBAL,
      query: { a: ['1', '2'], b: '3' },
      headers: { 'x-mine': 'yes' },
      body: { limit: null },
      endpoint: 'organization.limits.setGlobal',
      keyId: 'key_of_user_ada',
      status: 200,
    })
    expect([second?.endpoint, second?.keyId, second?.status]).toEqual([undefined, undefined, 404])
  })

  it('keeps only the end of a key', async () => {
    const emulator = await startTestEmulator()
    await emulator.get(SCAN)
    await emulator.get(SCAN, { headers: { authorization: 'short' } })
    const [first, second] = emulator.requests().map(({ headers }) => headers.authorization)
    expect(first).toBe(`Bearer …${emulator.apiKey.slice(-6)}`)
    expect(second).toBe('short')
    expect(JSON.stringify(emulator.requests())).not.toContain(emulator.apiKey)
  })

  it.each(['authorization', 'x-api-key', 'proxy-authorization', 'cookie'])(
    'keeps only the end of a key that is alone in %s',
    async (name) => {
      const emulator = await startTestEmulator()
      await emulator.get(SCAN, { key: null, headers: { [name]: emulator.apiKey } })
      const [first] = emulator.requests()
      expect(first?.headers[name]).toBe(`…${emulator.apiKey.slice(-6)}`)
      expect(JSON.stringify(first)).not.toContain(emulator.apiKey)
    },
  )

  it('keeps only the end of a key in the query', async () => {
    const emulator = await startTestEmulator()
    await emulator.get(`${SCAN}?api_key=${emulator.apiKey}&access_token=${emulator.apiKey}&q=1`)
    const [first] = emulator.requests()
    const shown = `…${emulator.apiKey.slice(-6)}`
    expect(first?.query).toEqual({ api_key: shown, access_token: shown, q: '1' })
    expect(JSON.stringify(first)).not.toContain(emulator.apiKey)
  })

  it('keeps only the start of a long body, and not the rest of it in memory', () => {
    const before = heapUsed()
    const bodies = Array.from({ length: 20 }, (_, n) =>
      recordedBody(Buffer.alloc(5_000_000, `${n} `).toString()),
    )
    const kept = heapUsed() - before
    expect(bodies.map((body) => String(body).length)).toEqual(Array(20).fill(65_537))
    expect(kept).toBeLessThan(20_000_000)
  })

  it('keeps the last thousand requests', () => {
    const journal = makeJournal()
    const request = { at: 0, host: 'base', method: 'GET', path: '/', query: {} } as const
    for (let count = 0; count < 1050; count += 1) {
      journal.add({ ...request, headers: {}, body: undefined })
    }
    const numbers = journal.list().map(({ number }) => number)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([1000, 51, 1050])
  })
})

/** The status of the response to a raw request target. */
function rawStatus(emulator: TestEmulator, target: string): Promise<number> {
  return new Promise((resolve) => {
    const { port, hostname } = new URL(emulator.url)
    const socket = connect(Number(port), hostname)
    socket.setEncoding('utf8')
    socket.once('data', (chunk) => {
      resolve(Number(String(chunk).split(' ')[1]))
      socket.destroy()
    })
    const head = `GET ${target} HTTP/1.1\r\nhost: ${hostname}\r\n`
    socket.write(`${head}authorization: Bearer ${emulator.apiKey}\r\n\r\n`)
  })
}

describe('the helpers for tests', () => {
  it('provide client options and environment variables, and close with await using', async () => {
    let url = ''
    {
      await using emulator = await startEmulator()
      url = emulator.url
      const { clientOptions, env, apiKey, appUrl } = emulator
      expect(clientOptions).toEqual({ apiKey, baseUrl: url, appUrl })
      expect(env).toEqual({
        HOOKBELL_API_BASE_URL: url,
        HOOKBELL_APP_BASE_URL: appUrl,
        HOOKBELL_API_KEY: apiKey,
      })
      await using client = createClient(clientOptions)
      expect(await client.organization.limits.getGlobal()).toEqual({ limit: null })
    }
    await expect(fetch(url)).rejects.toThrow()
  })

  it.each(['url', 'appUrl'] as const)('reject other hosts at %s', async (name) => {
    await using emulator = await startEmulator({ appPort: 0 })
    const { hostname, port } = new URL(emulator[name])
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${emulator.apiKey}` }
        request({ hostname, port, path: GLOBAL, headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await statusFor(`evil.example:${port}`)).toBe(403)
    expect(emulator.requests()).toEqual([])
    expect(await statusFor(`localhost:${port}`)).not.toBe(403)
  })
})
