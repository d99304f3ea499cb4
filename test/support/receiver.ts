import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: string
  delayMs?: number
}

/** How the server handles one request. The last step of a script is repeated. */
export type Step =
  | number
  | Answer
  | 'blackhole'
  | 'reset'
  | 'trickle'
  | 'endless'
  | ((request: Received) => Answer | 'blackhole' | Promise<Answer>)

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts an HTTP server on loopback that follows a script and records all requests. Closed at the end of the test. */
export async function startReceiver({ script = [200] }: { script?: Step[] } = {}) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const step = script[Math.min(received.length, script.length - 1)] ?? 200
    const { method = '', url = '', headers } = request
    const entry = { method, path: url, headers, body: '' }
    received.push(entry)
    entry.body = await readBody(request)
    play(typeof step === 'function' ? await step(entry) : step, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, received, close }
}

/** A step that answers only when the test says so. */
export function holdAnswer(answer: Answer = {}) {
  let give = () => {}
  const held = new Promise<Answer>((resolve) => {
    give = () => resolve(answer)
  })
  return { step: () => held, give: () => give() }
}

function play(step: Exclude<Step, (request: Received) => unknown>, response: ServerResponse) {
  if (step === 'blackhole') return
  if (step === 'reset') return response.socket?.resetAndDestroy()
  if (step === 'trickle') return trickle(response)
  if (step === 'endless') return pour(response)
  const answer: Answer = typeof step === 'number' ? { status: step } : step
  const { status = 200, headers = {}, body, delayMs = 0 } = answer
  const text = body ?? (status === 200 ? 'ok' : `status ${status}`)
  setTimeout(() => response.writeHead(status, headers).end(text), delayMs)
}

/** Sends one byte per second without end. */
function trickle(response: ServerResponse) {
  response.writeHead(200).write('.')
  const timer = setInterval(() => response.write('.'), 1000)
  response.on('close', () => clearInterval(timer))
}

/** Sends as fast as the client reads, without end. */
function pour(response: ServerResponse) {
  const chunk = 'x'.repeat(65_536)
  const fill = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', fill)
  fill()
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
