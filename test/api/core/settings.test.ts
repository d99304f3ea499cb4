import { constants } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { ConfigError, createClient, isClientError, type Transport } from '../../../src/api/index.ts'
import { isLocal } from '../../../src/api/transport.ts'
import { apiKey, errorOf, useFaultServer } from '../_support.ts'

describe('the options of a client', () => {
  const faults = useFaultServer('https')

  it('come from the environment unless they are given', async () => {
    faults.play([{ body: '{"limit": 1}' }])
    const urls = { HOOKBELL_API_BASE_URL: faults.url, HOOKBELL_APP_BASE_URL: `${faults.url}/app` }
    const both = { HOOKBELL_API_KEY: ' first-key\n', FACTORY_API_KEY: 'second-key', ...urls }
    const other = { HOOKBELL_API_KEY: '', FACTORY_API_KEY: 'second-key', ...urls }
    const transport = 'https'
    await createClient({ env: both, transport }).organization.limits.getGlobal()
    await createClient({ env: other, transport }).organization.limits.getGlobal()
    await createClient({ env: both, apiKey, transport })
      .readiness.reports()
      .catch(() => undefined)
    expect(faults.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first-key',
      'Bearer second-key',
      `Bearer ${apiKey}`,
    ])
    expect(faults.requests[2]?.target).toBe('/app/api/organization/maturity-level-reports')
  })

  it('default to the URLs of the service', async () => {
    const seen: string[] = []
    const text = '{}'
    const transport = {
      send: async ({ origin, path }: { origin: string; path: string }) => {
        seen.push(origin + path)
        return { status: 200, headers: {}, text, end: 'complete' as const }
      },
    }
    const client = createClient({ apiKey, env: {}, transport })
    await client.computers.delete({ computerId: 'c' })
    await client.readiness.reports()
    expect(seen).toEqual([
      'https://api.factory.ai/api/v0/computers/c',
      'https://app.factory.ai/api/organization/maturity-level-reports',
    ])
  })

  it.each([{ option: 'baseUrl' }, { option: 'variable' }])(
    'with only a $option never send the key to the public application',
    async ({ option }) => {
      faults.play([{}])
      const isOption = option === 'baseUrl'
      const client = createClient({
        apiKey,
        env: isOption ? {} : { HOOKBELL_API_BASE_URL: faults.url },
        ...(isOption ? { baseUrl: faults.url } : {}),
      })
      const error = await errorOf(client.readiness.reports())
      expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining('appUrl') })
      expect(error.hint).toContain('HOOKBELL_APP_BASE_URL')
      expect(faults.connections).toBe(0)
    },
  )

  it.each([
    ['baseURL', 'baseUrl'],
    ['timeout', 'timeoutMs'],
    ['maxRetries', 'retries'],
    ['apikey', 'apiKey'],
    ['defaultHeaders', 'headers'],
  ])('reject %s and suggest %s', async (wrong, right) => {
    const client = createClient({ apiKey, env: {}, [wrong]: 5 } as object)
    const error = await errorOf(client.organization.limits.getGlobal())
    expect(error).toMatchObject({
      kind: 'config',
      message: `${wrong}: is not an option; did you mean ${right}?`,
    })
  })

  it('reject a misspelt option of a call', async () => {
    const client = faults.makeClient()
    const options = { timeout: 5 } as object
    const error = await errorOf(client.organization.limits.getGlobal({}, options))
    expect(error).toMatchObject({
      kind: 'validation',
      issues: [{ field: 'options.timeout', problem: expect.stringContaining('timeoutMs') }],
    })
  })

  it.each([
    [{ apiKey: null }, 'apiKey: must be a string or a function, not null'],
    [{ baseUrl: 'https://api.example.org/api/v0' }, 'baseUrl: must end before "/api/v0"'],
    [{ baseUrl: 'https://api.example.org/x/api/v0/' }, 'baseUrl: must end before "/api/v0/"'],
    [{ baseUrl: 'api.example.org' }, 'baseUrl: must be an http or https URL'],
  ])('in %j are reported with the mistake', async (options, message) => {
    const client = createClient({ apiKey, env: {}, ...options } as object)
    const error = await errorOf(client.organization.limits.getGlobal())
    expect(error.kind).toBe('config')
    expect(error.message).toContain(message)
  })

  it('that have no key cause an error that names the variable to set', async () => {
    faults.play([{}])
    const client = createClient({ env: {}, baseUrl: faults.url })
    const error = await errorOf(client.organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'config', name: 'ConfigError' })
    expect(error.hint).toContain('HOOKBELL_API_KEY')
    expect(faults.connections).toBe(0)
  })

  it.each([
    ['', 'gave no key'],
    ['Bearer fk-1', 'begins with "Bearer "'],
    ['two words', 'forbidden character'],
    ['line\r\nx: y', 'forbidden character'],
    ['käse', 'forbidden character'],
    [async () => '', 'gave no key'],
    [async () => Promise.reject(new Error('vault is closed')), 'failed'],
    [
      () => {
        throw new Error('vault is closed')
      },
      'failed',
    ],
  ])('reject the key %o', async (key, problem) => {
    faults.play([{}])
    const client = faults.makeClient({ apiKey: key })
    const error = await errorOf(client.organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(problem) })
    expect(faults.connections).toBe(0)
  })

  it.each([
    'http://api.example.org',
    'http://192.168.0.1:8080',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    'http://0.0.0.0',
  ])('never send the key over plain http to %s', async (url) => {
    for (const options of [{ baseUrl: url }, { appUrl: url }]) {
      const client = createClient({ apiKey, env: {}, ...options })
      const error = await errorOf(client.readiness.reports())
      expect(error).toMatchObject({
        kind: 'config',
        message: expect.stringContaining('plain http'),
      })
    }
  })

  it('send the key over plain http with allowInsecureHttp', async () => {
    const transport = {
      send: async () => ({
        status: 200,
        headers: {},
        text: '{}',
        end: 'complete' as const,
      }),
    }
    const options = {
      apiKey,
      env: {},
      transport,
      baseUrl: 'http://intranet',
      allowInsecureHttp: true,
    }
    expect(await createClient(options).computers.delete({ computerId: 'c' })).toEqual({})
  })

  it.each(['nothing', 'ftp://x', 'https://user:hunter22@x', 'https://x/?a=b', ''])(
    'reject the URL "%s" without repeating a password',
    async (baseUrl) => {
      const error = await errorOf(createClient({ apiKey, env: {}, baseUrl }).automations.ci.scan())
      expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining('baseUrl') })
      expect(error.message).not.toContain('hunter22')
    },
  )

  it('limit responses to what a string can hold', async () => {
    const limits: number[] = []
    const transport: Transport = {
      async send({ maxResponseBytes }) {
        limits.push(maxResponseBytes)
        return { status: 200, headers: {}, text: '{}', end: 'complete' }
      },
    }
    const client = createClient({ apiKey, env: {}, transport, maxResponseBytes: Infinity })
    await client.computers.delete({ computerId: 'c' })
    await client.computers.delete({ computerId: 'c' }, { maxResponseBytes: 2 ** 40 })
    for (const limit of limits) expect(limit).toBeLessThanOrEqual(constants.MAX_STRING_LENGTH)
    expect(limits).toHaveLength(2)
  })

  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ retries: 1.5 }, 'retries'],
    [{ headers: { host: 'x' } }, 'headers.host'],
    [{ headers: null }, 'headers'],
  ])('reject %o', async (options, name) => {
    const client = faults.makeClient(options as object)
    const error = await errorOf(client.automations.ci.scan())
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(name) })
  })
})

describe('isLocal', () => {
  it.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])(
    'is true for %s',
    (host) => {
      expect(isLocal(`http://${host}`)).toBe(true)
    },
  )
  it.each(['localhost.com', '128.0.0.1', '[::2]', '127.0.0.1.com', ''])(
    'is false for %s',
    (host) => {
      expect(isLocal(`http://${host}`)).toBe(false)
    },
  )
})

describe('isClientError', () => {
  it('accepts an error of another copy of the library', async () => {
    const path = '../../../src/api/errors.ts?copy'
    const copy: typeof import('../../../src/api/errors.ts') = await import(/* @vite-ignore */ path)
    const error = new copy.ConfigError('x')
    expect(error).not.toBeInstanceOf(ConfigError)
    expect(isClientError(error)).toBe(true)
  })

  it.each([undefined, null, 5, 'x', {}, new Error('x')])('rejects %o', (value) => {
    expect(isClientError(value)).toBe(false)
  })
})
