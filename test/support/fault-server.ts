import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How the server answers one request. Everything but `end` is a fault. */
export interface Step {
  status?: number
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  waitMs?: number
  /**
   * `end`: a complete response. `silent`: no response. `close`, `reset`: the connection ends without a response.
   * `header-drip`: headers that never end. `stall`, `cut`: half of the body, then nothing, or the end.
   * `drip`, `endless`: a body that never ends, slowly or fast.
   */
  fault?:
    | 'end'
    | 'silent'
    | 'close'
    | 'reset'
    | 'header-drip'
    | 'stall'
    | 'cut'
    | 'drip'
    | 'endless'
}

/** A request as it arrived. */
export interface Seen {
  method: string
  /** Path and query, byte for byte. */
  target: string
  headers: Readonly<Record<string, string>>
  body: string
  /** Settles when the connection of the request is closed. */
  closed: Promise<unknown>
}

export type Script = readonly Step[] | ((request: Seen, index: number) => Step)

export interface FaultServer {
  url: string
  /** Every request, in the order of arrival. */
  requests: Seen[]
  /** The number of connections that were opened, with or without a request. */
  connections: number
  /** Replaces the script, and clears `requests` and `connections`. The last step is repeated. */
  play(script: Script): void
  /** Resolves when everything that was already sent has arrived, so that no later test receives it. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Starts a server on loopback that follows a script and records all requests. */
export async function startFaultServer(script: Script = [{}]): Promise<FaultServer> {
  const sockets = new Set<Socket>()
  let current = script
  const server = createServer({ noDelay: true }, (socket) => {
    faults.connections += 1
    sockets.add(socket)
    const closed = once(socket, 'close').catch(() => undefined)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    readRequests(socket, (request) => {
      const seen = { ...request, closed }
      faults.requests.push(seen)
      const index = faults.requests.length - 1
      const step =
        typeof current === 'function'
          ? current(seen, index)
          : current[Math.min(index, current.length - 1)]
      setTimeout(() => answer(socket, step ?? {}), step?.waitMs ?? 0)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const faults: FaultServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    connections: 0,
    play(next) {
      current = next
      faults.requests = []
      faults.connections = 0
    },
    async settle() {
      // Connections are accepted in the order in which they were opened.
      const last = connect(port, '127.0.0.1')
      await once(last, 'connect')
      while (![...sockets].some(({ remotePort }) => remotePort === last.localPort)) await nextTurn()
      last.destroy()
      // The data of these connections is read in one of the next turns of the event loop.
      for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return faults
}

function readRequests(socket: Socket, onRequest: (request: Omit<Seen, 'closed'>) => void) {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, Buffer.from(chunk)])
    for (;;) {
      const end = pending.indexOf('\r\n\r\n')
      if (end < 0) return
      const [first = '', ...lines] = pending.toString('latin1', 0, end).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
        }),
      )
      const size = end + 4 + Number(headers['content-length'] ?? 0)
      if (pending.length < size) return
      const [method = '', target = ''] = first.split(' ')
      const body = pending.toString('utf8', end + 4, size)
      pending = pending.subarray(size)
      onRequest({ method, target, headers, body })
    }
  })
}

function answer(socket: Socket, { status = 200, headers = {}, body = '{}', fault = 'end' }: Step) {
  if (fault === 'silent' || socket.destroyed) return
  if (fault === 'close') return socket.end()
  if (fault === 'reset') return socket.resetAndDestroy()
  const bytes = Buffer.from(body)
  const open = fault === 'drip' || fault === 'endless'
  const framing = open ? { 'transfer-encoding': 'chunked' } : lengthOf(status, bytes.length)
  const lines = Object.entries({ ...framing, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const start = `HTTP/1.1 ${status} Some Title\r\n`
  if (fault === 'header-drip') return drip(socket, start, 'x-more: 1\r\n', 20)
  const head = Buffer.from(`${start}${lines.join('\r\n')}\r\n\r\n`)
  if (fault === 'drip') return drip(socket, head, '1\r\n \r\n', 20)
  if (fault === 'endless') return drip(socket, head, `4000\r\n${' '.repeat(0x4000)}\r\n`, 2)
  if (fault === 'end') return void socket.write(Buffer.concat([head, bytes]))
  socket.write(Buffer.concat([head, bytes.subarray(0, bytes.length / 2)]), () => {
    if (fault === 'cut') socket.destroy()
  })
}

/** Statuses without a body must not have a length. */
function lengthOf(status: number, length: number): Record<string, string> {
  return status === 204 || status === 304 || status < 200
    ? {}
    : { 'content-length': String(length) }
}

function drip(socket: Socket, start: string | Buffer, part: string, everyMs: number) {
  socket.write(start)
  const timer = setInterval(() => socket.write(part), everyMs)
  socket.on('close', () => clearInterval(timer))
}
