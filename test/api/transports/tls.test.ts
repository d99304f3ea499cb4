import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect, createServer as createProxy } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/api/index.ts'
import { type Authority, makeAuthority } from '../../support/authority.ts'
import { buildProgram } from '../../support/program.ts'
import { apiKey, errorOf, transports } from '../_support.ts'

let program = ''
let authority: Authority
beforeAll(async () => {
  program = await buildProgram('test/api/transports/_calls-twice.ts')
  authority = await makeAuthority()
})
afterAll(() => authority.remove())

describe.each(transports)('https through %s', (transport) => {
  /** An API server with a certificate for these names. */
  async function startApi(...names: string[]) {
    const seen: Pick<IncomingMessage, 'method' | 'headers'>[] = []
    const certificate = await authority.issue(...names)
    const server = createServer(certificate, (request, response) => {
      seen.push(request)
      response.end(request.method === 'GET' ? '{"limit": 7}' : '{"apiKey": {"value": "new"}}')
    })
    const api = { seen, connections: 0, port: await listen(server) }
    server.on('connection', () => {
      api.connections += 1
    })
    return api
  }

  async function call(url: string, env: NodeJS.ProcessEnv = {}) {
    const own = { TRANSPORT: transport, HOOKBELL_API_BASE_URL: url, HOOKBELL_API_KEY: apiKey }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], {
      env: { PATH: process.env.PATH, ...own, ...env },
    })
    return { results: stdout && JSON.parse(stdout), output: stdout + stderr }
  }

  it.each(['localhost', '127.0.0.1'])(
    'works with a private certificate authority for %s',
    async (host) => {
      const api = await startApi('DNS:localhost', 'IP:127.0.0.1')
      const url = `https://${host}:${api.port}`
      const { results } = await call(url, { NODE_EXTRA_CA_CERTS: authority.file })
      expect(results).toMatchObject([{ limit: 7 }, { apiKey: { value: 'new' } }])
      expect(api.seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
      for (const { headers } of api.seen) expect(headers.authorization).toBe(`Bearer ${apiKey}`)
    },
  )

  it.skipIf(transport === 'fetch')(
    'works through a proxy, which sees only the CONNECT request',
    async () => {
      const api = await startApi('DNS:api.example.test')
      const proxy = await startProxy(api.port)
      const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: authority.file }
      const { results } = await call('https://api.example.test', env)
      expect(results).toMatchObject([{ limit: 7 }, { apiKey: { value: 'new' } }])
      expect(proxy.heads.length).toBeGreaterThan(0)
      for (const head of proxy.heads) {
        expect(head).toMatch(/^CONNECT api\.example\.test:443 HTTP/)
        expect(head).not.toContain(apiKey)
      }
    },
  )

  const refusals = [
    [
      'is not from a trusted authority',
      'IP:127.0.0.1',
      false,
      /^UNABLE_TO_/,
      /: TLS error: .*certificate/,
      /_CA_CERTS$/,
    ],
    [
      'is for another host',
      'IP:127.0.0.2',
      true,
      /_ALTNAME_INVALID$/,
      /: TLS error: .*127\.0\.0\.2/,
      /URL/,
    ],
  ] as const

  it.each(refusals)('rejects without a retry a certificate that %s', async (...given) => {
    const [, name, isTrusted, code, message, hint] = given
    const api = await startApi(name)
    const env = isTrusted ? { NODE_EXTRA_CA_CERTS: authority.file } : {}
    const { results, output } = await call(`https://127.0.0.1:${api.port}`, env)
    for (const error of results) {
      expect(error).toMatchObject({ kind: 'network', phase: 'connect', attempts: 1 })
      expect(error.code).toMatch(code)
      expect(error.message).toMatch(message)
      expect(error.hint).toMatch(hint)
      expect(error).not.toHaveProperty('outcome')
    }
    expect(api.seen).toEqual([])
    expect(api.connections).toBe(2)
    expect(output).not.toContain(apiKey)
  })

  it('rejects without a retry a server that does not speak TLS', async () => {
    const port = await listen(createHttpServer())
    const client = createClient({
      apiKey,
      transport,
      baseUrl: `https://127.0.0.1:${port}`,
      env: {},
    })
    const error = await errorOf(client.organization.limits.getGlobal())
    await client.close()
    expect(error).toMatchObject({ kind: 'network', phase: 'connect', attempts: 1 })
    expect(error.message).toMatch(/: TLS error: .*wrong version.*, while connecting$/)
  })
})

async function listen(server: Server | ReturnType<typeof createProxy>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Connects every client to the API, whatever host it requests. */
async function startProxy(port: number) {
  const heads: string[] = []
  const server = createProxy((socket) => {
    socket.once('data', (head) => {
      heads.push(String(head))
      const api = connect(port, '127.0.0.1')
      socket.on('error', () => api.destroy())
      api.on('error', () => socket.destroy())
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(api).pipe(socket)
    })
  })
  return { heads, url: `http://127.0.0.1:${await listen(server)}` }
}
