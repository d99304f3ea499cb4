import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { createClient, isClientError, type Transport } from '../../../src/api/index.ts'

/**
 * A program whose calls give up responses in every way, while their connections end in every way: directly, with TLS, and
 * with TLS through a proxy. It prints how the calls ended, and the calls that followed. An exception that no caller can
 * catch ends it.
 */
interface Way {
  status?: string
  body: Buffer
  headers?: string
  options?: object
  /** When the call is aborted, counted from when the response is sent. */
  abort?: (now: () => void) => void
  /** Takes the response as it arrives, and what is done with it. */
  take?: (response: Response) => Promise<unknown> | undefined
}

const page = Buffer.alloc(100_000, 'x')
const bomb = gzipSync(Buffer.alloc(200_000))
const complete: Way = { body: Buffer.from('{"limit": 1}') }
const ways: Way[] = [
  { status: '502 Bad Gateway', body: page },
  { body: page, options: { maxResponseBytes: 1_000 } },
  { body: bomb, headers: 'content-encoding: gzip', options: { maxResponseBytes: 1_000 } },
  { body: page, headers: 'content-encoding: gzip', options: { timeoutMs: 50 } },
  { body: page, abort: (now) => now() },
  { body: page, abort: (now) => void setImmediate(now) },
  { body: page, abort: (now) => void setTimeout(now, 1) },
  { body: page, options: { timeoutMs: 3 } },
  { body: page, options: { deadlineMs: 3 } },
  { body: page, take: (response) => response.arrayBuffer() },
  { body: page, take: (response) => response.body?.cancel() },
  { body: page, take: (response) => readOnce(response).then((reader) => reader?.cancel()) },
  { body: page, take: readOnce, abort: (now) => void setTimeout(now, 1) },
  { body: page, take: () => undefined, abort: (now) => void setTimeout(now, 1) },
  { body: bomb, headers: 'content-encoding: gzip', take: (response) => response.body?.cancel() },
  {
    body: page,
    headers: 'content-encoding: gzip',
    take: (response) => response.arrayBuffer(),
    // The fetch of Node.js never tells that this cannot be decompressed.
    abort: (now) => void setTimeout(now, 50),
  },
  complete,
]
const framings = [
  'connection: close',
  'content-length: LENGTH\r\nconnection: close',
  'transfer-encoding: chunked\r\nconnection: close',
  'transfer-encoding: chunked',
]
/** The connections below TLS, by the port of the client: a TLS socket cannot be reset. */
const connections = new Map<number | undefined, Socket>()
const close = (socket: Socket) => void socket.end()
const reset = ({ remotePort }: Socket) => void connections.get(remotePort)?.resetAndDestroy()
const stayOpen = () => {}

let respond: (socket: Socket) => void = () => {}
const serve = (socket: Socket) => {
  socket.on('error', () => {})
  socket.on('data', () => respond(socket))
}
const { CERTIFICATE = '', PRIVATE_KEY = '', TRANSPORT } = process.env
const plain = await listen(createServer(serve))
const files = { cert: readFileSync(CERTIFICATE), key: readFileSync(PRIVATE_KEY) }
const secure = await listen(createTlsServer(files, serve))
const proxy = await listen(createServer((socket) => socket.once('data', () => tunnel(socket))))

process.env.HTTPS_PROXY = `http://127.0.0.1:${proxy}`
const direct = [`http://127.0.0.1:${plain}`, `https://127.0.0.1:${secure}`]
const urls = TRANSPORT === 'fetch' ? direct : [...direct, 'https://api.example.test']
const outcomes = new Set<string>()
const afterwards: string[] = []
for (const baseUrl of urls) {
  const transport = TRANSPORT as 'undici' | Transport
  const client = createClient({ apiKey: 'k', baseUrl, transport, env: {}, retries: 0 })
  for (const framing of framings)
    for (const end of [close, reset, stayOpen])
      for (const way of ways) outcomes.add(await call(client, framing, end, way))
  // More calls than the client has connections.
  for (let calls = 0; calls < 10; calls += 1)
    afterwards.push(await call(client, framings[1] ?? '', close, complete))
  await client.close()
}
console.log(JSON.stringify({ outcomes: [...outcomes].sort(), afterwards }))
process.exit(0)

async function listen(server: Server): Promise<number> {
  server.on('connection', (socket) => connections.set(socket.remotePort, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function tunnel(socket: Socket) {
  const to = connect(secure, '127.0.0.1')
  socket.on('error', () => to.destroy())
  to.on('error', () => socket.destroy())
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  socket.pipe(to).pipe(socket)
}

async function readOnce(response: Response) {
  const reader = response.body?.getReader()
  await reader?.read()
  return reader
}

async function call(
  client: ReturnType<typeof createClient>,
  framing: string,
  end: (socket: Socket) => void,
  { status = '200 OK', body, headers = '', options, abort, take }: Way,
): Promise<string> {
  const controller = new AbortController()
  const giveUp = () => controller.abort()
  respond = (socket) => {
    const frame = framing.replace('LENGTH', String(body.length))
    socket.write(`${[`HTTP/1.1 ${status}`, headers, frame].filter(Boolean).join('\r\n')}\r\n\r\n`)
    const isChunked = framing.startsWith('transfer')
    const start = isChunked ? `${body.length.toString(16)}\r\n` : ''
    socket.write(start)
    socket.write(body)
    socket.write(isChunked ? '\r\n0\r\n\r\n' : '', () => {
      abort?.(giveUp)
      end(socket)
    })
    if (end === stayOpen) setTimeout(giveUp, 50)
  }
  const { signal } = controller
  const calling = client.request({ method: 'GET', path: '/' }, { ...options, signal })
  return (take ? calling.asResponse().then(take) : calling).then(
    () => 'resolved',
    (error: unknown) => (isClientError(error) ? error.kind : String(error)),
  )
}
