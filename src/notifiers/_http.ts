import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { connecting, trusting } from '../connecting.ts'
import { errorCode } from '../errors.ts'

// Discord, ntfy and Telegram repeat the whole message in their answer, with up to six bytes for a character, and it can
// only be read to its end. The rest of a longer one is not received.
const ANSWER_BYTES = 64 * 1024

interface HttpRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  /** Aborts the request, also while the answer is being read. */
  signal: AbortSignal
  /** Called when all of it has left: the receiver may have it, even if no answer comes. */
  onSent?: () => void
  /** How long to wait for the text after the status, and do without it; by default until it ends or breaks off. */
  textMs?: number
  /** How much of the body is read. Default: 64 KiB. */
  maxBytes?: number | undefined
  /** PEM file of authorities to trust besides the usual ones. */
  extraCaFile?: string | undefined
  /** Resolves the host name. With it the connection is used for this request only. */
  lookup?: LookupFunction
}

export interface HttpAnswer {
  status: number
  statusText: string
  headers: IncomingHttpHeaders
  /** The start of the body. */
  text: string
}

export function isSuccess({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 200 && status < 300
}

/**
 * Makes one HTTP request. Redirects are not followed: they are answers like any other.
 * Does not use `fetch`, whose first call takes longer than the rest of a delivery.
 * @throws the error of the connection; any error at all once the signal is aborted
 */
export async function request(url: string, options: HttpRequest): Promise<HttpAnswer> {
  options.signal.throwIfAborted()
  const sent = start(url, options)
  try {
    return await exchange(sent, options)
  } catch (error) {
    // The receiver closed the kept-alive connection before it saw the request, so it is sent once more.
    if (!sent.reusedSocket || !isClosedByReceiver(error) || options.signal.aborted) throw error
    return await exchange(start(url, options, true), options)
  }
}

function start(
  url: string,
  { method, headers, body, onSent, extraCaFile, lookup }: HttpRequest,
  isAlone = false,
) {
  // Not imported: the ESM form of these modules loads undici on newer versions of Node.js.
  const isPlain = new URL(url).protocol === 'http:'
  const module = process.getBuiltinModule(isPlain ? 'node:http' : 'node:https')
  const sent = module.request(url, {
    method,
    headers: { accept: '*/*', ...headers },
    ...((lookup || isAlone) && { agent: false }),
    ...connecting,
    ...(!isPlain && trusting(extraCaFile)),
    ...(lookup && { lookup }),
  })
  if (onSent) sent.once('finish', onSent)
  // Given whole, so that Node.js adds its length.
  sent.end(body)
  return sent
}

async function exchange(
  sent: ClientRequest,
  options: Pick<HttpRequest, 'signal' | 'textMs' | 'maxBytes'>,
): Promise<HttpAnswer> {
  const { signal } = options
  const stop = () => sent.destroy(new Error('timed out'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const response = await responseTo(sent)
    const { statusCode = 0, statusMessage = '', headers } = response
    const text = await startOf(response, options)
    return { status: statusCode, statusText: statusMessage, headers, text }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    // This listener stays for the life of the request: an error without one would end the process.
    sent.on('error', reject)
    sent.once('close', () => reject(new Error('the connection was closed without an answer')))
  })
}

/** Reading the answer to its end leaves the connection open for the next request; otherwise it is closed. */
async function startOf(
  response: IncomingMessage,
  { signal, textMs, maxBytes = ANSWER_BYTES }: Pick<HttpRequest, 'signal' | 'textMs' | 'maxBytes'>,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const timer = textMs === undefined ? undefined : setTimeout(() => response.destroy(), textMs)
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maxBytes) break
    }
  } catch {
    if (textMs === undefined || signal.aborted)
      throw new Error('the connection was closed inside the answer')
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString()
}

function isClosedByReceiver(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '')
}
