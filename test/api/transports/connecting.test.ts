import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startDeafServer } from '../../support/deaf-server.ts'
import { buildProgram } from '../../support/program.ts'
import { connecting, errorOf, useFaultServer } from '../_support.ts'

let program = ''
beforeAll(async () => {
  program = await buildProgram('test/api/transports/_gives-up.ts')
})

/** Starts the target of the connection. @returns the environment variables that lead to it */
const places = {
  'an unreachable server': async () => ({
    HOOKBELL_API_BASE_URL: `https://127.0.0.1:${await startDeafServer()}`,
  }),
  'a TLS handshake without a response': async () => ({
    HOOKBELL_API_BASE_URL: (await startProxy(() => {})).replace('http:', 'https:'),
  }),
  'an unreachable proxy': async () => through(`http://127.0.0.1:${await startDeafServer()}`),
  'a proxy that does not respond': async () => through(await startProxy(() => {})),
  'a TLS handshake without a response behind a proxy': async () =>
    through(await startProxy(accept)),
}

describe.each(connecting)('connecting through %s', (transport) => {
  const faults = useFaultServer(transport)

  it.each(Object.keys(places))('%s does not keep the process alive', async (name) => {
    const place = places[name as keyof typeof places]
    const env = { TRANSPORT: transport, HOOKBELL_API_KEY: 'fk-test', ...(await place()) }
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: { PATH: process.env.PATH, ...env },
    })
    const [late, aborted, open] = JSON.parse(stdout)
    expect(late).toMatch(/no response within 400 ms \(timeoutMs\), while connecting$/)
    expect(aborted).toMatch(/aborted while connecting$/)
    // undici alone gives up a connection after 10 seconds, and a proxy after 300.
    expect(open).toEqual([])
  })

  it.each([
    ['does not respond', () => {}],
    ['connects to no server', accept],
  ])('a proxy that %s does not block later calls', async (_, behave) => {
    let isWell = false
    const proxy = await startProxy((socket) => (isWell ? refuse(socket) : behave(socket)))
    for (const [key, value] of Object.entries(through(proxy))) vi.stubEnv(key, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const client = faults.makeClient({ baseUrl: 'https://api.example.invalid', retries: 0 })
    const { getGlobal } = client.organization.limits
    const stuck = Array.from({ length: 10 }, () => errorOf(getGlobal({}, { timeoutMs: 300 })))
    for (const error of await Promise.all(stuck)) expect(error).toMatchObject({ kind: 'timeout' })
    isWell = true
    const error = await errorOf(getGlobal({}, { timeoutMs: 600_000 }))
    expect(error).toMatchObject({ kind: 'network', phase: 'connect' })
  })
})

/** Environment variables for a host that only the proxy could resolve. */
function through(proxy: string) {
  const HOOKBELL_API_BASE_URL = 'https://api.example.invalid'
  const env = { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: '', no_proxy: '' }
  return { ...env, HOOKBELL_API_BASE_URL }
}

const accept = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')
const refuse = (socket: Socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')

async function startProxy(onRequest: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', () => onRequest(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
