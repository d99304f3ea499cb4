import { describe, expect, it } from 'vitest'
import {
  type CallOptions,
  type ClientOptions,
  createClient,
  fieldOf,
  fileFromPath,
  imageFromPath,
  type RawRequest,
  type Transport,
  textOf,
  throwIfAnyFailed,
} from '../../../src/api/index.ts'
import { apiKey, errorOf, json, transports, useFaultServer } from '../_support.ts'

/** Casts a value to a type that it violates, as untyped programs may pass it. */
const odd = <Value>(value: unknown) => value as Value

describe.each(transports)('misuse through %s', (transport) => {
  const faults = useFaultServer(transport)

  it('treats null options as omitted', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    const options = odd<CallOptions>(null)
    const client = faults.makeClient()
    expect(await client.organization.limits.getGlobal({}, options)).toEqual({ limit: 1 })
    faults.play([{ body: '{"reports": []}' }])
    const list = client.readiness.reports({}, options)
    expect(await list.toArray(odd<{ limit: number }>(null))).toEqual([])
    faults.play([{ body: '{"messages": [1, 2], "pagination": {"hasMore": false}}' }])
    const messages = client.sessions.messages.list({ sessionId: 's' })
    expect(await messages.toArray({ limit: odd<number>(null) })).toHaveLength(2)
    faults.play([{ body: '{"reports": []}' }])
    expect(await client.request({ method: 'GET', path: '/x' }, options)).toEqual({ reports: [] })
    expect(() => createClient(odd<ClientOptions>(null))).not.toThrow()
  })

  it.each([
    ['options', 5],
    ['options', 'quick'],
    ['options.timeoutMs', { timeoutMs: 100n }],
    ['options.timeoutMs', { timeoutMs: '100' }],
    ['options.headers.a', { headers: { a: Symbol('a') } }],
    ['options.headers.a', { headers: { a: undefined } }],
    ['options.headers', { headers: null }],
    ['options.headers', { headers: 'a: b' }],
    ['options.headers', { headers: new Headers({ a: 'b' }) }],
    ['options.extraHeaders', { extraHeaders: new Map([['a', 'b']]) }],
    ['extraQuery', { extraQuery: new URLSearchParams('a=b') }],
  ])('rejects the invalid option %s: %o', async (field, options) => {
    faults.play([{}])
    const call = faults.makeClient().organization.limits.getGlobal({}, odd<CallOptions>(options))
    expect(await errorOf(call)).toMatchObject({ kind: 'validation', issues: [{ field }] })
    expect(faults.requests).toEqual([])
  })

  it('rejects an input with a getter that throws', async () => {
    faults.play([{}])
    const unreadable = {
      get field() {
        throw new Error('mine')
      },
    }
    const call = faults.makeClient().wiki.create(unreadable)
    expect(await errorOf(call)).toMatchObject({ kind: 'validation', issues: [{ field: 'input' }] })
    expect(faults.requests).toEqual([])
  })

  it.each<[string, object, object?]>([
    ['query', { method: 'GET', query: new URLSearchParams('a=b') }],
    ['query', { method: 'GET', query: new Map([['a', 'b']]) }],
    ['data', { method: 'POST', body: { data: new Map([['a', 'b']]) } }],
    ['data', { method: 'POST', body: { data: new Uint8Array(2) } }],
    ['body', { method: 'POST', body: new FormData() }],
    ['extraQuery', { method: 'GET' }, { extraQuery: new URLSearchParams('a=b') }],
    ['extraBody', { method: 'POST' }, { extraBody: 'text' }],
    ['extraBody', { method: 'GET' }, { extraBody: { a: 1 } }],
    ['extraBody', { method: 'POST', body: [1] }, { extraBody: { a: 1 } }],
    ['extraBody', { method: 'POST', body: 'text' }, { extraBody: { a: 1 } }],
  ])('rejects a value of %s that cannot be sent: %o %o', async (field, more, options = {}) => {
    faults.play([{}])
    const input = odd<RawRequest>({ path: '/x', ...more })
    const call = faults.makeClient().request(input, odd<CallOptions>(options))
    expect(await errorOf(call)).toMatchObject({ kind: 'validation', issues: [{ field }] })
    expect(faults.requests).toEqual([])
  })

  it('rejects a list whose cursor cannot be read, and does not throw', async () => {
    faults.play([{}])
    const input = {
      sessionId: 's',
      get cursor(): string {
        throw new Error('mine')
      },
    }
    const list = faults.makeClient().sessions.messages.list(input)
    for (const call of [list, list.toArray()])
      expect(await errorOf(call)).toMatchObject({
        kind: 'validation',
        issues: [{ field: 'input' }],
      })
    expect(faults.requests).toEqual([])
  })

  it('keeps status and text of an error body that is nested too deeply', async () => {
    for (const body of [`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, '['.repeat(30_000)]) {
      faults.play([
        { status: 400, body },
        { status: 400, body: body + ']'.repeat(30_000) },
      ])
      for (const _ of [1, 2]) {
        const error = await errorOf(faults.makeClient().organization.limits.getGlobal())
        expect(error).toMatchObject({ kind: 'http', status: 400 })
        expect(Reflect.get(error, 'bodyText')).toContain(body.slice(0, 1_000))
      }
    }
  })

  it('redacts a key that is cut at the end of a truncated body', async () => {
    for (const shown of [8, 10, apiKey.length - 1]) {
      faults.play([{ status: 400, body: 'a'.repeat(65_536 - shown) + apiKey }])
      const error = await errorOf(faults.makeClient().organization.limits.getGlobal())
      expect(Reflect.get(error, 'bodyText')).toMatch(/^a+\[secret\]$/)
    }
  })

  it('reports an unknown outcome when the key function fails on a retry', async () => {
    faults.play([{ fault: 'reset' }])
    let asked = 0
    const key = () => {
      asked += 1
      if (asked > 1) throw new Error('no more keys')
      return apiKey
    }
    const error = await errorOf(
      faults.makeClient({ apiKey: key }).organization.limits.setGlobal({ limit: null }),
    )
    expect(error).toMatchObject({ kind: 'config', outcome: 'unknown', attempts: 1, method: 'PUT' })
    expect(faults.requests).toHaveLength(1)
  })

  // `fetch` refuses this port itself.
  it('reports no unknown outcome for a port that cannot be reached', async () => {
    const client = faults.makeClient({ baseUrl: 'http://127.0.0.1:1' })
    const error = await errorOf(client.sessions.messages.add({ sessionId: 's', text: 't' }))
    expect(error).toMatchObject({ kind: 'network', phase: 'connect' })
    expect(error.outcome).toBeUndefined()
  })

  it('rejects a list whose next page has no cursor', async () => {
    const page = { messages: [{ id: 'm' }], pagination: { hasMore: true } }
    faults.play([{ body: json(page) }])
    const seen: unknown[] = []
    const read = async () => {
      const list = faults.makeClient().sessions.messages.list({ sessionId: 's' })
      for await (const { id } of list) seen.push(id)
    }
    expect(await errorOf(read())).toMatchObject({ kind: 'decode' })
    expect(seen).toEqual(['m'])
  })
})

describe('misuse of the helpers', () => {
  it('rejects with a validation error', async () => {
    const url = odd<string>(new URL('file:///tmp/a.pdf'))
    expect(await errorOf(fileFromPath(url))).toMatchObject({ kind: 'validation' })
    const options = odd<{ maxBytes: number }>(null)
    expect(await errorOf(imageFromPath('none.png', options))).toMatchObject({ kind: 'validation' })
    expect(throwIfAnyFailed(odd<Parameters<typeof throwIfAnyFailed>[0]>(null))).toBe(null)
  })

  it('reads an empty text and an undefined field from undefined', () => {
    expect(textOf(undefined)).toBe('')
    expect(fieldOf(undefined, 'status')).toBe(undefined)
    expect(fieldOf('text', 'length')).toBe(4)
  })

  it.each([
    ['that is undefined', undefined, 'network'],
    ['without a text', { status: 200, headers: {} }, 'decode'],
    ['without a text or headers', { status: 400 }, 'http'],
    ['whose text and headers are null', { status: 200, headers: null, text: null }, 'decode'],
    ['whose text is a number', { status: 200, headers: {}, text: 5 }, 'decode'],
    ['of status 400 whose headers are null', { status: 400, headers: null }, 'http'],
  ])('rejects a response of a custom transport %s', async (_, response, kind) => {
    const transport = odd<Transport>({ send: async () => response })
    const client = createClient({ apiKey, env: {}, transport, retries: 0 })
    expect(await errorOf(client.organization.limits.getGlobal())).toMatchObject({ kind })
  })

  it('rejects with a network error if a custom transport throws a value that is not an error', async () => {
    for (const thrown of [null, undefined, Symbol('no'), Object.create(null)]) {
      const transport = odd<Transport>({ send: () => Promise.reject(thrown) })
      const client = createClient({ apiKey, env: {}, transport, retries: 0 })
      const error = await errorOf(client.organization.limits.getGlobal())
      expect(error).toMatchObject({ kind: 'network' })
    }
  })

  it('rejects an unknown transport with a config error', async () => {
    const transport = odd<'https'>('carrier pigeon')
    const client = createClient({ apiKey, env: {}, transport })
    expect(await errorOf(client.organization.limits.getGlobal())).toMatchObject({ kind: 'config' })
  })
})
