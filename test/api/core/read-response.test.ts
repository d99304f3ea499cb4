import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isClientError } from '../../../src/api/index.ts'
import type { Step } from '../../support/fault-server.ts'
import { runs } from '../../support/runs.ts'
import { apiKey, errorOf, json, stuck, transports, useFaultServer } from '../_support.ts'

const rotate = { serviceAccountId: 's', keyId: 'k' }

describe.each(transports)('responses through %s', (transport) => {
  const faults = useFaultServer(transport)
  const { makeClient } = faults

  describe('a response', () => {
    const bodies = {
      json: '{"limit": 1}',
      html: '<html>hello</html>',
      empty: '',
      number: '5',
      string: '"ok"',
      nothing: 'null',
      list: '[1]',
      half: '{"limit": 1',
    }
    const statuses = [
      200, 201, 206, 299, 300, 301, 302, 307, 400, 401, 403, 404, 408, 413, 425, 429,
    ].concat([451, 500, 503, 504, 599])

    it.each(statuses)(
      'with status %i resolves only for a 2xx status and an object as body',
      async (status) => {
        const client = makeClient({ retries: 0 })
        for (const [name, body] of Object.entries(bodies)) {
          faults.play([{ status, body, headers: { location: `${faults.url}/elsewhere` } }])
          const call = client.organization.limits.getGlobal().then(
            (value) => value,
            (error: unknown) => error,
          )
          const result = await call
          if (status <= 299 && name === 'json') expect(result).toEqual({ limit: 1 })
          else if (status <= 299)
            expect(result).toMatchObject({ kind: 'decode', status, bodyText: body })
          else
            expect(result).toMatchObject({
              kind: 'http',
              status,
              bodyText: body,
              title: expect.any(String),
            })
          expect(isClientError(result)).toBe(status > 299 || name !== 'json')
          expect(faults.requests).toHaveLength(1)
        }
      },
    )

    it.each([200, 204])(
      'with status %i and an empty body resolves for a deletion',
      async (status) => {
        faults.play([{ status, body: '' }])
        expect(await makeClient().computers.delete({ computerId: 'c' })).toEqual({})
      },
    )

    it.each(['', '{}'])(
      'with status 204, a content-length and the body "%s" resolves for a deletion',
      async (body) => {
        faults.play([{ status: 204, headers: { 'content-length': '2' }, body }])
        expect(await makeClient().computers.delete({ computerId: 'c' })).toEqual({})
        expect(faults.requests).toHaveLength(1)
      },
    )

    it.each([200, 204])(
      'with status %i and an empty body resolves to undefined where responses are not documented',
      async (status) => {
        faults.play([{ status, body: '' }])
        const { wiki, automations } = makeClient()
        expect(await wiki.setPrivacy({ wikiRunId: 'w', privacy: 'private' })).toBeUndefined()
        expect(await automations.ci.scan()).toBeUndefined()
      },
    )

    it('with a truncated body is an error', async () => {
      faults.play([{ body: '{"limit": 1}         ', fault: 'cut' }])
      const error = await errorOf(makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'network', phase: 'body', attempts: 3 })
    })

    it('with an error status and a truncated body keeps the status and the received text', async () => {
      faults.play([{ status: 404, body: '{"detail": "no such thing"}', fault: 'cut' }])
      const error = await errorOf(makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'http', status: 404, bodyText: '{"detail": "n' })
    })

    it('that exceeds maxResponseBytes is rejected', async () => {
      faults.play([{ fault: 'endless' }])
      const options = { maxResponseBytes: 100_000 }
      const error = await errorOf(makeClient().organization.limits.getGlobal({}, options))
      expect(error).toMatchObject({ kind: 'decode', message: expect.stringContaining('100000') })
      await faults.requests[0]?.closed
    })

    it.each([0.5, 5.5])('that exceeds a maxResponseBytes of %d is rejected', async (most) => {
      faults.play([{ body: '{"limit": 1}' }])
      const error = await errorOf(
        makeClient({ maxResponseBytes: most }).wiki.get({ wikiRunId: 'w' }),
      )
      const message = expect.stringContaining(`longer than ${Math.floor(most)} bytes`)
      expect(error).toMatchObject({ kind: 'decode', message })
    })
  })

  describe('errors', () => {
    it('keep a body of any bytes', async () => {
      const client = makeClient({ retries: 0 })
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
          faults.play([{ status: 400, body: bytes }])
          const error = await errorOf(client.organization.limits.getGlobal())
          expect(error).toMatchObject({ bodyText: Buffer.from(bytes).toString('utf8') })
        }),
        { numRuns: runs(40) },
      )
    })

    it('keep the first 64 KB of a body', async () => {
      faults.play([{ status: 400, body: 'x'.repeat(200_000) }])
      const error = await errorOf(makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ bodyText: 'x'.repeat(65_536) })
    })

    it('stop reading the body after 64 KB', async () => {
      faults.play([{ status: 400, fault: 'endless' }])
      const error = await errorOf(makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'http', status: 400, bodyText: ' '.repeat(65_536) })
      await faults.requests[0]?.closed
    })

    it.each([
      [
        'an error body of the API',
        { detail: 'why', status: 409, title: 'Taken', metadata: { a: [1] } },
      ],
      [
        'an error body of analytics',
        { detail: 'why', status: 409, title: 'Taken', requestId: 'r-1' },
      ],
      ['a lone error', { error: 'why' }],
    ])('contain the fields of %s', async (_, body) => {
      faults.play([{ status: 409, body: json(body), headers: { 'x-request-id': 'from-header' } }])
      const error = await errorOf(makeClient().serviceAccounts.keys.rotate(rotate))
      expect(error).toMatchObject({
        name: 'ConflictError',
        kind: 'http',
        status: 409,
        title: 'title' in body ? 'Taken' : 'Conflict',
        detail: 'why',
        requestId: 'requestId' in body ? 'r-1' : 'from-header',
        method: 'POST',
        route: '/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate',
        attempts: 1,
        elapsedMs: expect.any(Number),
        message: expect.stringMatching(/^POST .+ 409 \w+: why$/),
      })
      if ('metadata' in body) expect(error).toHaveProperty('metadata', { a: [1] })
    })

    it('mention a proxy for a response in HTML', async () => {
      faults.play([{ status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }])
      const error = await errorOf(makeClient({ retries: 0 }).organization.limits.getGlobal())
      expect(error.message).toContain('text/html, perhaps from a proxy')
    })

    it.each([
      ['application/json; charset=utf-8', 'the response is broken JSON'],
      ['text/html', 'the response is not JSON, but text/html, perhaps from a proxy'],
      ['', 'the response is not JSON'],
    ])('describe an invalid success response of type "%s"', async (type, problem) => {
      faults.play([{ body: '{"limit"', headers: { 'content-type': type } }])
      const error = await errorOf(makeClient().organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'decode', message: expect.stringMatching(`${problem}$`) })
    })

    it.each([
      [400, 'BadRequestError'],
      [401, 'AuthenticationError'],
      [403, 'PermissionError'],
      [404, 'NotFoundError'],
      [409, 'ConflictError'],
      [418, 'HttpError'],
      [429, 'RateLimitError'],
      [500, 'ServerError'],
      [503, 'ServerError'],
    ])('of status %i are a %s', async (status, name) => {
      faults.play([{ status, body: '{}' }])
      const error = await errorOf(makeClient({ retries: 0 }).organization.limits.getGlobal())
      expect(error).toMatchObject({ name, status })
    })

    it('hint at the variable of a rejected key and at the restriction of an endpoint', async () => {
      const env = { FACTORY_API_KEY: apiKey }
      const options = { apiKey: undefined, env } as { env: typeof env }
      faults.play([{ status: 401 }, { status: 403 }])
      const client = makeClient(options)
      const first = await errorOf(client.sessions.create({ computerId: 'c' }))
      expect(first.hint).toContain('FACTORY_API_KEY')
      const second = await errorOf(client.sessions.create({ computerId: 'c' }))
      expect(second.hint).toBe('enabled for selected organizations only')
    })

    it('have the line of the call at the top of the stack', async () => {
      faults.play([{ status: 400 }])
      const client = makeClient()
      const calls = [
        async () => void (await client.organization.limits.getGlobal()),
        async () => void (await client.request({ method: 'GET', path: '/' })),
        async () => void (await client.readiness.reports()),
        async () => void (await client.readiness.reports().toArray()),
      ]
      for (const call of calls) {
        const error = await errorOf(call())
        expect(error.stack?.split('\n')[1]).toContain('read-response.test.ts')
      }
    })
  })

  it.each([
    [{ errors: [{ message: 'no room' }] }, 'no room'],
    [{ error: { message: 'no room' } }, 'no room'],
    [{ reason: 'no room' }, '{"reason":"no room"}'],
    [['no room'], '["no room"]'],
  ])('an error with the body %j shows its text in the message', async (body, said) => {
    faults.play([{ status: 400, body: json(body) }])
    const error = await errorOf(makeClient().organization.limits.getGlobal())
    expect(error.message).toMatch(/400 Bad Request: /)
    expect(error.message).toContain(said)
  })

  it.each([
    ['https://login.example.org/start?token=secret', 'https://login.example.org/start'],
    ['https://login.example.org/start#secret', 'https://login.example.org/start'],
    ['https://ada:secret@login.example.org/start?secret', 'https://login.example.org/start'],
    ['//secret@login.example.org', '//login.example.org'],
    ['https://login.example.org?from=//a@b', 'https://login.example.org'],
  ])('an error for a redirect to %s shows no secret of it', async (location, target) => {
    faults.play([{ status: 302, headers: { location } }])
    const error = await errorOf(makeClient().organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'http', status: 302 })
    expect(error.message.endsWith(` redirects to ${target}`), error.message).toBe(true)
    expect(error.hint).toContain('baseUrl')
  })

  it('a key that is an ordinary short word is not redacted', async () => {
    faults.play([{ status: 404, body: json({ detail: 'no test named latest' }) }])
    const error = await errorOf(makeClient({ apiKey: 'test' }).organization.limits.getGlobal())
    expect(error.message).toContain('no test named latest')
  })

  it('every failure rejects with one of the documented error kinds', async () => {
    const kinds = ['config', 'validation', 'network', 'timeout', 'aborted', 'http', 'decode']
    const steps: Step[] = [
      ...stuck.map(([fault]) => ({ fault })),
      { fault: 'reset' },
      { fault: 'close' },
      { body: '{"limit": 1}', fault: 'cut' },
      { status: 101 },
      { status: 99 },
      { headers: { 'content-length': 'x' } },
      { headers: { 'content-encoding': 'gzip' }, body: '\x1f\x8b' },
      { status: 500 },
      { body: '[[' },
      { body: '[[' },
    ]
    for (const step of steps) {
      faults.play([step])
      const client = makeClient({ timeoutMs: 150, retries: 1 })
      const error = await errorOf(client.organization.limits.getGlobal())
      expect(kinds).toContain(error.kind)
    }
  })

  it('reports every attempt without inputs or response data', async () => {
    const reports: unknown[] = []
    const client = makeClient({ onAttempt: (report) => reports.push(report) })
    faults.play([{ status: 503 }, { body: '{"id": "c"}' }])
    await client.computers.get({ computerId: 'the-computer' })
    const route = '/api/v0/computers/{computerId}'
    const elapsedMs = expect.any(Number)
    const call = { callId: expect.any(Number), method: 'GET', route }
    expect(reports).toEqual([
      { ...call, attempt: 1, elapsedMs, status: 503, failure: 'http', retryInMs: 0 },
      { ...call, attempt: 2, elapsedMs, status: 200 },
    ])
  })
})
