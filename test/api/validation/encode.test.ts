import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../../src/api/endpoints/endpoint.ts'
import { everything, listEndpoints } from '../../../src/api/endpoints/index.ts'
import type { Client, Drift } from '../../../src/api/index.ts'
import { anyCharacter } from '../../support/any-character.ts'
import type { Seen } from '../../support/fault-server.ts'
import { runs } from '../../support/runs.ts'
import { valuesOf } from '../_arbitrary.ts'
import { errorOf, json, transports, useFaultServer } from '../_support.ts'

const each = listEndpoints(everything).map((entry) => [entry.id, entry] as const)

/** The untyped method of a client for an endpoint. */
function methodOf(client: Client, id: string) {
  let found: unknown = client
  for (const name of id.split('.')) found = Reflect.get(Object(found), name)
  if (typeof found !== 'function') throw new Error(`no method "${id}"`)
  return (input: unknown): PromiseLike<unknown> => Reflect.apply(Object(found), undefined, [input])
}

/** Valid inputs for every part of the endpoint. */
function inputsOf(entry: Endpoint) {
  const undeclared = fc.dictionary(fc.string({ maxLength: 5 }), fc.string(), {
    noNullPrototype: true,
  })
  const parts = [entry.params, entry.query, entry.body].map((schema) => {
    if (!schema) return fc.constant({})
    if (entry.passthrough && schema === (entry.body ?? entry.query)) return undeclared
    return valuesOf(schema, 'input').map((value) => Object(value))
  })
  return fc.tuple(...parts).map(([params, query, body]) => ({ params, query, body }))
}

/** Decodes a request by the endpoint table, as a server would. */
function readBack(entry: Endpoint, { target, body }: Seen) {
  const wire = Object.fromEntries(Object.entries(entry.wire ?? {}).map(([a, b]) => [b, a]))
  const [path = '', search = ''] = target.split('?')
  const names = [...entry.path.matchAll(/{(\w+)}/g)].map(([, name]) => name)
  const pattern = new RegExp(`^${entry.path.replaceAll(/{\w+}/g, '([^/]+)')}$`)
  const values = pattern.exec(path)?.slice(1).map(decodeURIComponent)
  const query = search === '' ? [] : search.split('&').map((pair) => pair.split('='))
  return {
    params: Object.fromEntries(names.map((name, index) => [name, values?.[index]])),
    query: Object.fromEntries(
      query.map(([name = '', value = '']) => {
        const key = decodeURIComponent(name)
        return [wire[key] ?? key, decodeURIComponent(value)]
      }),
    ),
    body: body === '' ? {} : JSON.parse(body),
  }
}

const asText = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

describe.each(transports)('requests through %s', (transport) => {
  const faults = useFaultServer(transport)

  it.each(each)('%s: every input arrives unchanged', async (id, entry) => {
    const client = faults.makeClient()
    await fc.assert(
      fc.asyncProperty(inputsOf(entry), async ({ params, query, body }) => {
        faults.play([{ status: 418 }])
        const error = await errorOf(methodOf(client, id)({ ...params, ...query, ...body }))
        expect(error).toMatchObject({ kind: 'http', status: 418 })
        const [seen] = faults.requests
        if (!seen) throw new Error('nothing arrived')
        expect(seen.method).toBe(entry.method)
        expect(readBack(entry, seen)).toEqual({ params, query: asText(query), body })
        // An undocumented body without fields is left out.
        const hasBody = entry.body && !(entry.passthrough && Object.keys(body).length === 0)
        expect(seen.body === '').toBe(!hasBody)
        expect(seen.headers['content-type']).toBe(hasBody ? 'application/json' : undefined)
      }),
      { numRuns: runs(15) },
    )
  })

  it('send an empty object as an undocumented body only if asked to', async () => {
    faults.play([{ body: '{}' }])
    const { wiki } = faults.makeClient()
    await wiki.create()
    await wiki.setPrivacy({ wikiRunId: 'w' })
    await wiki.create({}, { extraBody: {} })
    await wiki.setPrivacy({ wikiRunId: 'w', level: 'team' })
    expect(faults.requests.map(({ body }) => body)).toEqual(['', '', '{}', '{"level":"team"}'])
  })

  it('count the length of a text in characters', async () => {
    faults.play([{ body: '{}' }])
    const { sessions, computers } = faults.makeClient()
    const emoji = '😀'
    await sessions.create({ computerId: 'c', cwd: emoji.repeat(4096) })
    await computers.getByName({ name: emoji.repeat(63) })
    expect(faults.requests).toHaveLength(2)
    const cwd = await errorOf(sessions.create({ computerId: 'c', cwd: emoji.repeat(4097) }))
    expect(cwd.message).toBe('sessions.create: cwd: must have at most 4096 characters')
    const name = await errorOf(computers.getByName({ name: emoji.repeat(64) }))
    expect(name).toMatchObject({ kind: 'validation' })
    expect(faults.requests).toHaveLength(2)
  })

  it('leave it to the service to refuse a single user limit', async () => {
    faults.play([{ body: '{"updated": [], "errors": []}' }])
    const users = [
      { email: 'no address', limit: 1 },
      { email: '', limit: -1 },
    ]
    await faults.makeClient().organization.limits.setUsers({ users })
    expect(JSON.parse(faults.requests[0]?.body ?? '')).toEqual({ users })
  })

  it('escape a path value, so that it cannot change the route', async () => {
    const client = faults.makeClient()
    const value = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 10 }),
      fc.constantFrom('', '.', '..', 'a/b?c#d', '%2e%2e', '../x', 'a\r\nb: c', '\ud800', 'a\udc00'),
    )
    await fc.assert(
      fc.asyncProperty(value, async (computerId) => {
        faults.play([{ body: '{}' }])
        const result = await client.computers.get({ computerId }).then(
          () => 'sent',
          (error: { kind: string }) => error.kind,
        )
        const isRefused = ['', '.', '..'].includes(computerId) || /\p{Surrogate}/u.test(computerId)
        expect(result).toBe(isRefused ? 'validation' : 'sent')
        const targets = faults.requests.map(({ target }) => target)
        const expected = isRefused ? [] : [`/api/v0/computers/${encodeURIComponent(computerId)}`]
        expect(targets).toEqual(expected)
      }),
      { numRuns: runs(80) },
    )
  })

  it.runIf(transport === 'undici')('share a connection when sent in sequence', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    const client = faults.makeClient()
    for (let i = 0; i < 5; i += 1) await client.organization.limits.getGlobal()
    expect(faults.connections).toBe(1)
  })

  it('keep the path of the base URL', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    await faults.makeClient({ baseUrl: `${faults.url}/deep/er/` }).organization.limits.getGlobal()
    expect(faults.requests[0]?.target).toBe('/deep/er/api/v0/organization/usage/limits/global')
  })

  it('use wire names and paths from the options', async () => {
    faults.play([{ status: 204 }, { body: '{"reports": []}' }])
    const client = faults.makeClient({
      wire: { 'organization.users.remove': { email: 'e-mail' } },
      paths: { 'readiness.reports': '/reports', 'computers.get': '.evil.example/{computerId}' },
    })
    await client.organization.users.remove({ email: 'a@b' })
    await client.readiness.reports({ limit: 1 })
    // Without the slash, this would be the end of the host name, and the key would go there.
    await client.computers.get({ computerId: 'c' })
    expect(faults.requests.map(({ target }) => target)).toEqual([
      '/api/v0/organization/users?e-mail=a%40b',
      '/reports?limit=1',
      '/.evil.example/c',
    ])
  })

  it.each([
    ['/machines/{id}', '{id}'],
    ['/machines/{computerId}?force=1', '?'],
    ['/machines/{constructor}', '{constructor}'],
  ])('are not sent to the path %s, which would be another resource', async (path, found) => {
    faults.play([{ status: 204 }])
    const client = faults.makeClient({ paths: { 'computers.delete': path } })
    expect(await errorOf(client.computers.delete({ computerId: 'c' }))).toMatchObject({
      kind: 'validation',
      message: `computers.delete: paths: must not have ${found}`,
    })
    expect(faults.requests).toEqual([])
  })

  it('use the alternate path of the readiness reports after a 404, and keep to it', async () => {
    faults.play(({ target }) =>
      target.includes('maturity') ? { status: 404 } : { body: json({ reports: [] }) },
    )
    const client = faults.makeClient()
    expect(await client.readiness.reports()).toEqual({ reports: [] })
    await client.readiness.reports()
    expect(faults.requests.map(({ target }) => target)).toEqual([
      '/api/organization/maturity-level-reports',
      '/api/organization/agent-readiness-reports',
      '/api/organization/agent-readiness-reports',
    ])
  })

  it('return to the usual path where the alternate one is not found any more', async () => {
    let gone = 'maturity'
    faults.play(({ target }) =>
      target.includes(gone) ? { status: 404 } : { body: json({ reports: [] }) },
    )
    const client = faults.makeClient()
    await client.readiness.reports()
    gone = 'agent-readiness'
    // Also a derived client, whose service may be another.
    const derived = client.withOptions({ appUrl: faults.url })
    for (const one of [client, derived, client])
      expect(await one.readiness.reports()).toEqual({ reports: [] })
    expect(faults.requests).toHaveLength(2 + 2 + 1 + 1)
  })

  it('report the first 404 if the alternate path returns 404 too', async () => {
    faults.play([{ status: 404, body: json({ detail: 'first' }) }, { status: 404 }])
    const error = await errorOf(faults.makeClient({ retries: 0 }).readiness.reports())
    expect(error).toMatchObject({ status: 404, detail: 'first' })
  })

  it('do not name a path in the hint that was tried already', async () => {
    faults.play([{ status: 404 }])
    const error = await errorOf(faults.makeClient().readiness.reports())
    expect(faults.requests).toHaveLength(2)
    expect(error.hint).toContain('appUrl')
    expect(error.hint).not.toContain('/')
  })

  it('report any other failure of the alternate path', async () => {
    faults.play([{ status: 404 }, { status: 403 }])
    const client = faults.makeClient({ retries: 0 })
    expect(await errorOf(client.readiness.reports())).toMatchObject({ status: 403 })
    const controller = new AbortController()
    faults.play(({ target }) => {
      if (target.includes('maturity')) return { status: 404 }
      controller.abort('enough')
      return { fault: 'silent' }
    })
    const { signal } = controller
    const error = await errorOf(client.readiness.reports({}, { signal }))
    expect(error).toMatchObject({ kind: 'aborted', cause: 'enough' })
  })

  it('have one deadline for both paths', async () => {
    // Each path responds in time, both together do not.
    const waitMs = 600
    faults.play([
      { status: 404, waitMs },
      { waitMs, body: '{"reports": []}' },
    ])
    const call = faults.makeClient().readiness.reports({}, { deadlineMs: 1_000 })
    const error = await errorOf(call)
    expect(error).toMatchObject({ kind: 'timeout', limit: 'deadlineMs' })
  })

  it('can be sent by client.request with any method, query and body', async () => {
    faults.play([{ body: '{"sessions": []}' }, { status: 204, body: '' }, { status: 500 }])
    const client = faults.makeClient()
    const query = { limit: 2, tag: ['a', 'b c'], none: undefined }
    expect(await client.request({ method: 'GET', path: '/api/v0/sessions', query })).toEqual({
      sessions: [],
    })
    const patch = { method: 'PATCH', path: '/api/v0/sessions/s', body: { a: null } } as const
    expect(await client.request(patch)).toBeUndefined()
    expect(await errorOf(client.request(patch))).toMatchObject({ attempts: 1, outcome: 'unknown' })
    expect(faults.requests.map(({ method, target, body }) => [method, target, body])).toEqual([
      ['GET', '/api/v0/sessions?limit=2&tag=a&tag=b%20c', ''],
      ['PATCH', '/api/v0/sessions/s', '{"a":null}'],
      ['PATCH', '/api/v0/sessions/s', '{"a":null}'],
    ])
  })
})

describe('invalid inputs are rejected before any connection', () => {
  const faults = useFaultServer('https')
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic

  it.each([
    ['computers.get', undefined, 'computerId'],
    ['computers.get', null, 'input'],
    ['computers.get', 'c', 'input'],
    ['computers.get', { computerId: 5 }, 'computerId'],
    ['organization.users.remove', { email: 'nobody' }, 'email'],
    ['serviceAccounts.keys.rotate', { serviceAccountId: 's', keyId: 'k', colour: 'red' }, 'colour'],
    ['organization.limits.setGlobal', { limit: 5 }, 'limit'],
    ['organization.limits.setUsers', { users: [{ email: 'a' }] }, 'users[0].limit'],
    ['sessions.messages.list', { sessionId: 's', limit: 101 }, 'limit'],
    ['analytics.users', { startDate: '2026-01-01', endDate: 'today' }, 'endDate'],
    ['wiki.create', { big: 1n }, 'big'],
    ['wiki.create', { list: [Number.NaN] }, '0'],
    ['wiki.create', { list: [undefined] }, '0'],
    ['request', { method: Symbol('get'), path: '/' }, 'method'],
    ['request', { method: 'GET', path: Symbol('path') }, 'path'],
    ['wiki.create', cyclic, 'body'],
    ['wiki.search', { wikiRunId: 'w', filter: { a: 1 } }, 'filter'],
    ['wiki.search', { wikiRunId: 'w', text: '\ud800' }, 'text'],
    ['request', undefined, 'input'],
    ['request', { method: 'TRACE', path: '/' }, 'method'],
    ['request', { method: 'GET', path: 'x' }, 'path'],
    ['request', { method: 'GET', path: '//host/x' }, 'path'],
    ['request', { method: 'GET', path: '/a/../b' }, 'path'],
    ['request', { method: 'GET', path: '/a/%2E%2e' }, 'path'],
    ['request', { method: 'GET', path: '/a?b' }, 'path'],
    ['request', { method: 'GET', path: '/', body: {} }, 'body'],
    ['request', { method: 'GET', path: '/', query: 'a' }, 'query'],
    ['request', { method: 'GET', path: '/', host: 'other' }, 'host'],
    ['request', { method: 'POST', path: '/', bodey: {} }, 'bodey'],
  ])('the error of %s(%o) names %s', async (id, input, field) => {
    faults.play([{}])
    const error = await errorOf(methodOf(faults.makeClient(), id)(input))
    expect(error).toMatchObject({ kind: 'validation' })
    expect(error).toHaveProperty(
      'issues',
      expect.arrayContaining([expect.objectContaining({ field })]),
    )
    expect(error.message).toContain(field)
    expect(faults.connections).toBe(0)
  })

  it.each([
    [{ timeoutMs: 0 }, 'options.timeoutMs'],
    [{ deadlineMs: Number.NaN }, 'options.deadlineMs'],
    [{ retries: -1 }, 'options.retries'],
    [{ headers: { 'a b': 'c' } }, 'options.headers.a b'],
    [{ headers: { a: 'b\r\nc: d' } }, 'options.headers.a'],
    [{ headers: { Authorization: 'x' } }, 'options.headers.Authorization'],
  ])('the error for the options %o names %s', async (options, field) => {
    faults.play([{}])
    const error = await errorOf(faults.makeClient().organization.limits.getGlobal({}, options))
    expect(error).toMatchObject({ kind: 'validation' })
    expect(error.message).toContain(field)
    expect(faults.connections).toBe(0)
  })

  it.each([
    ['sessions.create', { computerId: 'c', sessionSettings: { nope: 1 } }, 'sessionSettings.nope'],
    ['sessions.create', { computerId: 'c', nope: 1 }, 'nope'],
    ['computers.get', { computerId: 'c', colour: 'red' }, 'colour'],
    ['sessions.messages.list', { sessionId: 's', role: 'robot' }, 'role'],
  ])(
    '%s(%j) is sent although %s is unknown, with a drift report, unless strict',
    async (id, input, path) => {
      faults.play([{ body: '{"messages": [], "pagination": {"hasMore": false}}' }])
      const drifts: Drift[] = []
      const client = faults.makeClient({ onDrift: (drift) => drifts.push(drift) })
      await methodOf(client, id)(input)
      expect(faults.requests).toHaveLength(1)
      const sent = `${faults.requests[0]?.target} ${faults.requests[0]?.body}`
      expect(sent).toMatch(/nope|colour=red|role=robot/)
      expect(drifts).toContainEqual(expect.objectContaining({ endpoint: id, in: 'input', path }))
      const error = await errorOf(methodOf(faults.makeClient({ strict: true }), id)(input))
      expect(error).toMatchObject({ kind: 'validation', issues: [{ field: path }] })
    },
  )

  it('a path with its query says where the query belongs', async () => {
    const call = faults.makeClient().request({ method: 'GET', path: '/a?b=1' })
    expect((await errorOf(call)).message).toContain('without a query')
  })

  it('a misspelt input is reported with a suggestion', async () => {
    const drifts: Drift[] = []
    const client = faults.makeClient({ onDrift: (drift) => drifts.push(drift) })
    faults.play([{}])
    await methodOf(client, 'sessions.messages.add')({ sessionId: 's', text: 'x', computerid: 'c' })
    expect(drifts[0]?.problem).toBe('is not a known input; did you mean computerId?')
  })

  it('no method throws synchronously', async () => {
    const client = faults.makeClient({ baseUrl: 'no address' })
    const inputs = [undefined, null, 5, [], { nope: 1 }]
    for (const id of [...each.map(([name]) => name), 'request'])
      for (const input of inputs) {
        const call = methodOf(client, id)(input)
        expect(['config', 'validation']).toContain((await errorOf(call)).kind)
      }
  })
})
