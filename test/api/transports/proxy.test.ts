import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { connecting, errorOf, useFaultServer } from '../_support.ts'

const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const variables = names.flatMap((name) => [name, name.toLowerCase()])

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

  it.each(['ALL_PROXY', 'all_proxy'])('is used when only %s names it', async (name) => {
    setProxy('')
    vi.stubEnv(name, faults.url)
    faults.play([{ status: 403 }])
    await errorOf(faults.makeClient(elsewhere).organization.limits.getGlobal())
    expect(faults.requests).toMatchObject([{ method: 'CONNECT' }])
  })

  it('that asks for a password is reported as such', async () => {
    setProxy(faults.url)
    faults.play([{ status: 407, headers: { 'proxy-authenticate': 'Basic' } }])
    const error = await errorOf(faults.makeClient(elsewhere).organization.limits.getGlobal())
    expect(error).toMatchObject({ kind: 'network', phase: 'connect' })
    expect(error.message).toMatch(/the proxy answered 407 Proxy Authentication Required/)
    expect(error.hint).toMatch(/USER:PASSWORD@HOST/)
  })

  it.each(['socks5', 'socks5h'])('may be a SOCKS proxy (%s)', async (scheme) => {
    faults.play([{ body: '{"limit": 1}' }])
    const port = await startSocksProxy(faults.url)
    setProxy('')
    vi.stubEnv('ALL_PROXY', `${scheme}://127.0.0.1:${port}`)
    const options = { baseUrl: 'http://api.example.invalid', allowInsecureHttp: true }
    const { organization } = faults.makeClient(options)
    expect(await organization.limits.getGlobal()).toEqual({ limit: 1 })
    expect(faults.requests[0]?.headers.host).toBe('api.example.invalid')
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

/** Connects every client to the server, without a password. */
async function startSocksProxy(url: string): Promise<number> {
  const { port } = new URL(url)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]))
      socket.once('data', () => {
        const api = connect(Number(port), '127.0.0.1')
        api.on('error', () => socket.destroy())
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        socket.pipe(api).pipe(socket)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
