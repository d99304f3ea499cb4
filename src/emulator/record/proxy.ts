import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import { listEndpoints } from '../../api/endpoints/index.ts'
import { isLocal } from '../../api/transport.ts'
import { proxiesOf } from '../../api/transports/undici.ts'
import { isLoopback } from '../../text/loopback.ts'
import { codeOf, EmulatorError } from '../errors.ts'
import { parsedBody } from '../journal.ts'
import { Problem, problemReply } from '../reply.ts'
import { respond } from '../respond.ts'
import { makeRouter } from '../router.ts'
import { close, listenOn, urlOf } from '../server.ts'
import type { SeedInput } from '../state/seed.ts'
import { makeRecorder } from './recorder.ts'

export interface RecorderOptions {
  /** URL of the service, without `/api/v0`. */
  baseUrl: string
  /** URL of the readiness reports. @default baseUrl */
  appUrl?: string | undefined
  /** @default 0, any free one */
  port?: number | undefined
  /** Told once of each kind of data that the seed does not have. */
  onNote(text: string): void
}

export interface Recorder {
  /** Where to send the requests, for both hosts. */
  url: string
  /** What was recorded so far, without keys and personal data. */
  seed(): SeedInput
  close(): Promise<void>
}

/** Headers for one connection, which end at the proxy. */
const HOP = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect)$/i

/** Longer bodies are passed through and not recorded. */
const MOST_BYTES = 32 * 1024 * 1024

const router = makeRouter(listEndpoints(), 'both')

/** Starts a proxy on the loopback interface that passes requests on to a service and records what it answers. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const targets = {
    base: targetOf('--base-url', options.baseUrl),
    app: targetOf('--app-url', options.appUrl ?? options.baseUrl),
  }
  const noted = new Set<string>()
  const note = (text: string) => {
    if (noted.has(text)) return
    noted.add(text)
    options.onNote(text)
  }
  const recorder = makeRecorder(note)
  const dispatch = await makeDispatch()
  const server = createServer((request, response) => {
    const refuse = (status: number, detail: string) =>
      void respond(response, undefined, () => problemReply(new Problem(status, detail), '', ''))
    const { method = 'GET', url = '/', headers } = request
    if (!isLoopback(headers.host ?? ''))
      return refuse(403, 'The Host must be localhost or a loopback address')
    if (headers.origin !== undefined) return refuse(403, 'Web pages cannot be recorded')
    if (!url.startsWith('/')) return refuse(400, 'The target must be a path')
    const match = matchOf(method, url)
    if (!match) note('requests for unknown endpoints are passed through and left out')
    const record = (seen: Seen) => {
      if (!match || method === 'HEAD') return
      const { endpoint, params, query } = match
      if (!seen.isReadable)
        return note(`${endpoint.id}: a response that is compressed or too long is left out`)
      recorder.add({ endpoint, params, query, ...seen })
    }
    const target = targets[match?.endpoint.host ?? 'base']
    passOn({ request, response, target, dispatch, record }).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      // Only the code: the message of a network error may have the URL in it.
      refuse(502, `The service cannot be reached: ${codeOf(error) ?? 'no response'}`)
    })
  })
  await listenOn(server, options.port ?? 0)
  const stop = async () => {
    await close(server)
    await dispatch.close()
  }
  return { url: urlOf(server), seed: recorder.seed, close: stop }
}

interface Target {
  origin: string
  /** Comes before each path. */
  prefix: string
}

/** @throws EmulatorError unless the key of the requests may go there: over https, or to this machine */
function targetOf(name: string, url: string): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isSafe = parsed?.protocol === 'https:' || (parsed && isLocal(parsed.origin))
  if (!parsed || !isSafe || parsed.username || parsed.password || parsed.search || parsed.hash)
    throw new EmulatorError(`${name} takes a URL such as https://api.example.com`, {
      hint: 'http is for this machine only',
    })
  return { origin: parsed.origin, prefix: parsed.pathname.replace(/\/+$/, '') }
}

interface Passing {
  request: IncomingMessage
  response: ServerResponse
  target: Target
  dispatch: Awaited<ReturnType<typeof makeDispatch>>
  /** Called before the response ends, so that whoever has it all can rely on its being recorded. */
  record(seen: Seen): void
}

interface Seen {
  status: number
  requestBody: unknown
  responseBody: unknown
  /** False if a body is compressed or too long. */
  isReadable: boolean
}

/** Passes a request on, and its response back as it comes. */
async function passOn({ request, response, target, dispatch, record }: Passing) {
  const ended = new AbortController()
  response.once('close', () => ended.abort())
  const { method = 'GET', url = '/', headers } = request
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
  const sent = makeTee(() => undefined)
  // The error is that of the request, which rejects below.
  sent.stream.on('error', () => undefined)
  const answer = await dispatch.request(target.origin, {
    path: target.prefix + url,
    method: method as Dispatcher.HttpMethod,
    headers: headersFor(request.rawHeaders),
    body: hasBody ? request.pipe(sent.stream) : null,
    signal: ended.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const { statusCode: status } = answer
  const isPlain = /^(identity)?$/.test(String(answer.headers['content-encoding'] ?? ''))
  const received = makeTee(() => {
    const [asked, answered] = [sent.text(), received.text()]
    const isReadable = isPlain && asked !== undefined && answered !== undefined
    const bodies = [asked, answered].map((text) => (isReadable ? parsedBody(text ?? '') : ''))
    record({ status, requestBody: bodies[0], responseBody: bodies[1], isReadable })
  })
  const kept = Object.entries(answer.headers).filter(([name]) => !HOP.test(name))
  response.writeHead(status, Object.fromEntries(kept))
  // Sent at once: the body may come much later.
  response.flushHeaders()
  await pipeline(answer.body, received.stream, response)
}

/** The headers as they came, in the same order. A response must not be compressed, or it could not be read. */
function headersFor(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  )
  const kept = pairs.filter(([name = '']) => !HOP.test(name) && !/^accept-encoding$/i.test(name))
  return [...kept, ['accept-encoding', 'identity']].flat()
}

/** A stream that passes all bytes on, and remembers them up to a limit. */
function makeTee(onEnd: () => void) {
  const chunks: Buffer[] = []
  let size = 0
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length
      if (size <= MOST_BYTES) chunks.push(chunk)
      else chunks.length = 0
      done(null, chunk)
    },
    flush(done) {
      onEnd()
      done()
    },
  })
  const text = () => (size > MOST_BYTES ? undefined : Buffer.concat(chunks).toString('utf8'))
  return { stream, text }
}

/** Requests to this machine must not go through a proxy. */
async function makeDispatch() {
  const { Agent, EnvHttpProxyAgent } = await import('undici')
  const direct = new Agent()
  const proxied = new EnvHttpProxyAgent(proxiesOf(process.env))
  return {
    request: (origin: string, options: Omit<Dispatcher.RequestOptions, 'origin'>) =>
      (isLocal(origin) ? direct : proxied).request({ ...options, origin }),
    close: () => Promise.all([direct.destroy(), proxied.destroy()]),
  }
}

/** The endpoint of a request and its inputs; undefined if there is none, or its path cannot be decoded. */
function matchOf(method: string, url: string) {
  const at = `${url}?`.indexOf('?')
  const path = url.slice(0, at)
  if (!router.find('both', method, path)) return undefined
  try {
    return { ...router.match('both', method, path), query: new URLSearchParams(url.slice(at)) }
  } catch {
    return undefined
  }
}
