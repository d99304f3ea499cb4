import { ConfigError, hasErrorMarker } from '../errors.ts'
import type { RetryClass } from '../operation.ts'
import {
  errorBodyBytes,
  type Phase,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'
import { type Clock, Ended } from './clock.ts'
import type { Lifetime } from './lifetime.ts'
import type { DerivedOptions } from './options.ts'
import type { AttemptFailure } from './retry.ts'
import { parseRetryAfter } from './retry-after.ts'

/** A request that is ready to be sent, and how long and how often it may be tried. */
export interface Call {
  id: number
  method: string
  origin: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  retry: RetryClass
  /** A delete whose response was lost has worked if its repeat gets 404. */
  treat404AsDeleted: boolean
  signal: AbortSignal | undefined
  timeoutMs: number
  deadlineMs: number
  retries: number
  maxResponseBytes: number
}

export interface Sender extends Pick<DerivedOptions, 'beforeRequest' | 'afterResponse'> {
  transport: Transport
  /** The `authorization` header of the next attempt. */
  authorize(): string | Promise<string>
}

export interface Received {
  status: number
  headers: ResponseHeaders
  text: string
}

export type Attempt =
  | { kind: 'answered'; received: Received; isTooLong: boolean }
  | { kind: 'failed'; failure: AttemptFailure; refusal?: Received }

/** Sends the request once. What can go wrong comes back as a value; a `ClientError` is thrown on. */
export async function tryOnce(
  call: Call,
  sender: Sender,
  clock: Clock,
  attempt: number,
): Promise<Attempt> {
  clock.phase = 'credentials'
  try {
    const exchange = (life: Lifetime) => exchangeOnce(call, sender, clock, life, attempt)
    const response = await clock.attempt(call.timeoutMs, exchange)
    if (sender.afterResponse) tellOf(response, call, sender.afterResponse, attempt)
    return judge(response)
  } catch (error) {
    if (error instanceof Ended) return { kind: 'failed', failure: error.failure }
    if (hasErrorMarker(error)) throw error
    return { kind: 'failed', failure: networkFailure(error, clock.phase) }
  }
}

async function exchangeOnce(
  call: Call,
  sender: Sender,
  clock: Clock,
  life: Lifetime,
  attempt: number,
) {
  const given = sender.authorize()
  const authorization = typeof given === 'string' ? given : await given
  const { beforeRequest } = sender
  const headers = beforeRequest
    ? { ...(await askHook(beforeRequest, call, attempt)), ...call.headers }
    : call.headers
  // The attempt may have ended meanwhile, and nothing may be sent after its end.
  life.throwIfEnded()
  // Until the transport says otherwise, the request counts as sent.
  clock.phase = 'headers'
  return sender.transport.send(new AttemptRequest(call, { ...headers, authorization }, clock, life))
}

/** What a hook wants to add to the headers. It can replace none that the client sets. */
async function askHook(
  beforeRequest: NonNullable<Sender['beforeRequest']>,
  call: Call,
  attempt: number,
): Promise<Record<string, string>> {
  const { id: callId, method, headers, body } = call
  try {
    const request = { callId, attempt, method, url: call.origin + call.path, headers, body }
    const added = (await beforeRequest(request)) ?? {}
    const names = Object.entries(added).map(([name, value]) => [name.toLowerCase(), String(value)])
    return Object.fromEntries(names.filter(([name = '']) => !/^(authorization|host)$/.test(name)))
  } catch (cause) {
    throw new ConfigError('beforeRequest failed', { cause })
  }
}

function tellOf(
  { status, headers, text }: TransportResponse,
  { id: callId, method, origin, path }: Call,
  afterResponse: NonNullable<Sender['afterResponse']>,
  attempt: number,
) {
  const url = origin + path
  try {
    afterResponse({ callId, attempt, method, url, status, headers, bodyText: text })
  } catch {
    // There is a response: a hook that throws must not make its call a failure.
  }
}

/** A class for the sake of the signal, which costs much and which few transports read. */
class AttemptRequest implements TransportRequest {
  readonly method: string
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly maxResponseBytes: number
  readonly onEnd: TransportRequest['onEnd']
  readonly onPhase: TransportRequest['onPhase']
  readonly #life: Lifetime

  constructor(call: Call, headers: Record<string, string>, clock: Clock, life: Lifetime) {
    this.method = call.method
    this.origin = call.origin
    this.path = call.path
    this.headers = headers
    this.body = call.body
    this.maxResponseBytes = call.maxResponseBytes
    this.onEnd = (callback) => life.onEnd(callback)
    this.onPhase = (phase) => {
      if (!life.hasEnded) clock.phase = phase
    }
    this.#life = life
  }

  get signal(): AbortSignal {
    return this.#life.signal
  }
}

function judge(response: TransportResponse): Attempt {
  const { status, headers, end } = response
  const isSuccess = status >= 200 && status <= 299
  if (!isSuccess) {
    const text = response.text.slice(0, errorBodyBytes)
    const retryAfterMs = parseRetryAfter(headers, Date.now())
    const refusal = { status, headers, text }
    return { kind: 'failed', failure: { kind: 'http', status, retryAfterMs }, refusal }
  }
  if (end === 'broken') return { kind: 'failed', failure: networkFailure(response.cause, 'body') }
  const received = { status, headers, text: response.text }
  return { kind: 'answered', received, isTooLong: end === 'too-long' }
}

// A certificate or an address that is wrong now will be wrong in a second, and a closed client closed.
const PERMANENT =
  /^(CERT_|DEPTH_ZERO|EPROTO|ERR_CLOSED|ERR_INVALID|ERR_SSL|ERR_TLS|SELF_SIGNED|UNABLE_TO|UND_ERR_INVALID)/

function networkFailure(error: unknown, phase: Phase): AttemptFailure {
  const failure = error instanceof TransportFailure ? error : new TransportFailure(error, true)
  const code = codeOf(failure.cause)
  const permanent = code !== undefined && PERMANENT.test(code)
  // Some transports tell only by their failure that there was no connection.
  const reached = failure.sent ? phase : 'connect'
  return { kind: 'network', phase: reached, sent: failure.sent, permanent, cause: failure.cause }
}

/** The code of a system error, also when it is one of several. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
