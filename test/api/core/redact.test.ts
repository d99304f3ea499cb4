import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/api/core/redact.ts'
import { type ClientError, createClient, fetchTransport } from '../../../src/api/index.ts'
import { encoders } from '../../support/encoders.ts'
import type { Step } from '../../support/fault-server.ts'
import { errorOf, json, transports, useFaultServer } from '../_support.ts'

const secret = fc
  .string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' })
  .map((text) => `fk-${text.replaceAll(/[^!-~]/g, 'x')}`)

/** Every form in which a log could print a value. */
function shown(value: unknown): string {
  const error = value as Partial<ClientError> & { bodyText?: string }
  return [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    json(value),
    String(value),
    String(error?.stack),
    String(error?.message),
    String(error?.bodyText),
  ].join('\n')
}

/** Responses that repeat the key in every possible place. */
function echoes(key: string): Step[] {
  const body = { detail: `bad key ${key}`, title: key, metadata: { [key]: [key] }, requestId: key }
  return [
    { status: 401, body: json(body) },
    { status: 500, body: `<html>${key}`, headers: { 'x-request-id': encodeURIComponent(key) } },
    { status: 400, body: json({ error: key }) },
    { status: 200, body: `broken ${key}`, headers: { 'content-type': encodeURIComponent(key) } },
    { status: 200, body: json({ limit: key }) },
    { fault: 'reset' },
  ]
}

describe.each(transports)('redaction through %s', (transport) => {
  const faults = useFaultServer(transport)

  it('keeps the key out of all output, even if the service repeats it', async () => {
    await fc.assert(
      fc.asyncProperty(secret, async (key) => {
        const seen: unknown[] = []
        const log = (entry: unknown) => seen.push(entry)
        const options = { apiKey: key, retries: 0, onAttempt: log, onDrift: log }
        const client = faults.makeClient(options)
        expect(shown(client)).not.toContain(key)
        for (const step of echoes(key)) {
          faults.play([step])
          seen.push(await errorOf(client.organization.limits.getGlobal({}, { strict: true })))
          await client.organization.limits.getGlobal().catch(() => undefined)
        }
        for (const one of seen)
          for (const form of [key, encodeURIComponent(key)]) expect(shown(one)).not.toContain(form)
        expect(seen.length).toBeGreaterThan(12)
      }),
      { numRuns: 10 },
    )
  })

  it('keeps the key out of drift, even if the service repeats it as the name of a field', async () => {
    const key = 'fk-very-secret'
    const row = {
      date: '2026-02-03',
      daily_active_users: 1,
      daily_active_users_by_client: { [key]: '' },
    }
    const body = json({ data: [row], meta: { org_id: 'o', start_date: '', end_date: '' } })
    faults.play([{ body }, { body }])
    const seen: unknown[] = []
    const client = faults.makeClient({ apiKey: key, onDrift: (drift) => seen.push(drift) })
    const days = { startDate: '2026-02-03', endDate: '2026-02-03' }
    await client.analytics.activity(days)
    seen.push(await errorOf(client.analytics.activity(days, { strict: true })))
    expect(seen).toHaveLength(2)
    expect(seen.map(shown).join()).not.toContain(key)
  })

  it('keeps a new key in bodyText of a decode error, but not in its printed form', async () => {
    const answer = { apiKey: { value: 'fk-new-and-shown-once' } }
    faults.play([{ body: json(answer) }])
    const call = faults
      .makeClient()
      .serviceAccounts.keys.rotate({ serviceAccountId: 's', keyId: 'k' }, { strict: true })
    const error = (await errorOf(call)) as ClientError & { bodyText: string }
    expect(inspect(error, { depth: 9, showHidden: true }) + json(error)).not.toContain('fk-new')
    expect(error.bodyText).toContain('fk-new-and-shown-once')
  })
})

describe('redaction', () => {
  it('masks a secret in every spelling, also if it is escaped twice', () => {
    const { base64: _, 'base64 of URLs': __, hexadecimal: ___, ...escapes } = encoders
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
        for (const [name, write] of Object.entries(escapes)) {
          for (const written of [key, write(key), write(write(key))]) {
            const left = redact(`${before} ${written} ${after}`, [key])
            expect(left, name).not.toContain(written)
            expect(left, name).toContain('[secret]')
          }
        }
      }),
    )
  })

  it('masks the key in the cause of an error', async () => {
    const apiKey = 'fk-very-secret'
    const transport = {
      send: async () => Promise.reject(new Error(`cannot send ${apiKey}`)),
    }
    const client = createClient({ apiKey, transport, env: {}, retries: 0 })
    const error = await errorOf(client.organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'network', cause: expect.any(Error) })
    expect(shown(error)).not.toContain(apiKey)
  })
})

/** What HTTP libraries throw: errors that carry the request, its headers and further errors. */
const thrown: { [what: string]: (headers: { authorization: string }) => unknown } = {
  'the request': (headers) => Object.assign(new Error('no'), { config: { headers } }),
  'a Headers object': (headers) =>
    Object.assign(new Error('no'), { headers: new Headers(headers) }),
  'a hidden request': (headers) =>
    Object.defineProperty(new Error('no'), 'request', { value: { headers } }),
  'a symbol': (headers) => Object.assign(new Error('no'), { [Symbol('request')]: { headers } }),
  'a code': ({ authorization }) => Object.assign(new Error('no'), { code: authorization }),
  causes: ({ authorization }) =>
    new Error('no', { cause: new Error('no', { cause: new Error(authorization) }) }),
  'several errors': ({ authorization }) => new AggregateError([new Error(authorization)], 'no'),
  'itself as its cause': ({ authorization }) => {
    const error = new Error(authorization)
    return Object.assign(error, { cause: error })
  },
  'a text': ({ authorization }) => authorization,
  'an object': ({ authorization }) => ({ message: authorization, code: 'E_OWN' }),
}

describe.each(Object.entries(thrown))('an error of a custom transport with %s', (_, make) => {
  const apiKey = 'fk-very-secret'
  const fail = async (headers: unknown) => {
    throw make(headers as { authorization: string })
  }

  it.each([
    ['transport', { send: ({ headers }: { headers: unknown }) => fail(headers) }],
    ['fetch', fetchTransport({ fetch: (_, init) => fail(init?.headers) })],
  ])('does not show the key (%s)', async (_, transport) => {
    const client = createClient({ apiKey, transport, env: {}, retries: 0 })
    const error = await errorOf(client.organization.limits.getGlobal())
    expect(error.kind).toBe('network')
    expect(shown(error)).not.toContain(apiKey)
  })
})

it('the cause of a network error keeps the message, code and address of the system', async () => {
  const baseUrl = 'http://127.0.0.1:1'
  const client = createClient({ apiKey: 'fk-very-secret', env: {}, baseUrl, transport: 'https' })
  const { cause } = await errorOf(client.organization.limits.getGlobal({}, { retries: 0 }))
  const address = { code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: 1 }
  expect(cause).toMatchObject({ message: 'connect ECONNREFUSED 127.0.0.1:1', ...address })
})

it('the cause of a network error may come from another realm, as under Jest', async () => {
  const thrown = runInNewContext(`Object.assign(new Error('gone'), { code: 'E_GONE' })`)
  const transport = { send: () => Promise.reject(thrown) }
  const client = createClient({ apiKey: 'fk-very-secret', transport, env: {}, retries: 0 })
  const error = await errorOf(client.organization.limits.getGlobal())
  expect(error).toMatchObject({ code: 'E_GONE', cause: { message: 'gone', code: 'E_GONE' } })
  expect(error.message).toContain(': gone, while')
})
