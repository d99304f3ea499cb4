import { afterEach, describe, expect, it, vi } from 'vitest'
import { connecting, errorOf, useFaultServer } from '../_support.ts'

const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

function setProxy(url: string, noProxy = '') {
  for (const name of variables) vi.stubEnv(name, undefined)
  vi.stubEnv('HTTP_PROXY', url)
  vi.stubEnv('HTTPS_PROXY', url)
  vi.stubEnv('NO_PROXY', noProxy)
}

describe.each(connecting)('a proxy through %s', (transport) => {
  const faults = useFaultServer(transport)
  const elsewhere = { baseUrl: 'https://api.example.invalid', retries: 0 }
  afterEach(() => void vi.unstubAllEnvs())

  it('is used when the environment names one, and never sees the key', async () => {
    setProxy(faults.url)
    faults.play([{ status: 403 }])
    const error = await errorOf(faults.makeClient(elsewhere).organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'network', phase: 'connect' })
    const [seen] = faults.requests
    expect(seen).toMatchObject({ method: 'CONNECT', target: 'api.example.invalid:443' })
    expect(seen?.headers).not.toHaveProperty('authorization')
  })

  it('that closes every connection gets a single request', async () => {
    setProxy(faults.url)
    faults.play([{ fault: 'close' }])
    const error = await errorOf(faults.makeClient(elsewhere).organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'network', phase: 'connect' })
    expect(faults.requests).toHaveLength(1)
  })

  it('is not used for loopback addresses', async () => {
    setProxy('http://127.0.0.1:1')
    faults.play([{ body: '{"limit": 1}' }])
    expect(await faults.makeClient().organization.limits.getGlobal()).toEqual({ limit: 1 })
  })

  it('is not used for hosts in NO_PROXY', async () => {
    setProxy(faults.url, '.invalid')
    faults.play([{}])
    const error = await errorOf(faults.makeClient(elsewhere).organization.limits.getGlobal())
    expect(error).toMatchObject({
      kind: 'network',
      phase: 'connect',
      code: expect.stringMatching(/^E/),
    })
    expect(faults.requests).toEqual([])
  })

  it('with an invalid URL is reported without its password', async () => {
    setProxy('http://user:hunter22@[broken')
    const error = await errorOf(faults.makeClient(elsewhere).organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'config' })
    expect(JSON.stringify(error) + error.stack).not.toContain('hunter22')
  })
})
