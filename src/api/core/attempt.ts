import { ConfigError, hasErrorMarker } from '../errors.ts'
import type { Host, RetryClass } from '../operation.ts'
import { lowerCased } from '../record.ts'
import { swallowErrors } from '../swallow-errors.ts'
import {
  isSuccess,
  type Phase,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'
import { type Clock, Ended } from './clock.ts'
import { Lifetime } from './lifetime.ts'
import type { DerivedOptions, OutgoingRequest } from './options.ts'
import type { AttemptFailure } from './retry.ts'
import { parseRetryAfter } from './retry-after.ts'
import type { Settings } from './settings.ts'

/** The part of a request that depends on the endpoint and the input, not on the client's settings. */
export interface Target {
  /** Names the call in errors about its input. */
  place: string
  method: string
  /** The path with its `{names}`. */
  route: string
  host: Host
  path: string
  body: string | undefined
  retry: RetryClass
  hints: Readonly<Record<number, string>>
}

/** A request that is ready to be sent, and how long and how often it may be tried. */
export interface Call {
  id: number
  target: Target
  limits: Settings['limits']
  /** What every attempt sends, apart from the key. */
  request: SentRequest
  /** Where the key comes from. */
  keySource: string
  /** The keys that were used so far. */
  secrets: string[]
  signal: AbortSignal | undefined
}

/** What every attempt of a call sends, apart from the key. */
export type SentRequest = Omit<TransportRequest, 'signal' | 'onEnd' | 'onPhase'>

export interface Sender {
  transport: Transport
  hooks: Pick<DerivedOptions, 'beforeRequest' | 'afterResponse'>
  /** The `authorization` header of the next attempt. */
  authorize(): Promise<string>
}

export interface Received {
  status: number
  headers: ResponseHeaders
  text: string
}

export type Attempt =
  | { failure?: undefined; received: Received; isTooLong: boolean }
  | { failure: AttemptFailure; received?: Received }

/** Sends the request once. Returns network failures, timeouts and error statuses; rethrows a `ClientError`. */
export async function tryOnce(
  call: Call,
  sender: Sender,
  clock: Clock,
  attempt: number,
): Promise<Attempt> {
  clock.phase = 'credentials'
  const request = new AttemptRequest(call.request, clock)
  try {
    const response = await clock.attempt(
      request,
      () => exchangeOnce(call, sender, request, attempt),
      call.limits.timeoutMs,
    )
    return judge(response)
  } catch (error) {
    if (error instanceof Ended) return { failure: error.failure }
    if (hasErrorMarker(error)) throw error
    return { failure: networkFailure(error, clock.phase) }
  }
}

async function exchangeOnce(call: Call, sender: Sender, request: AttemptRequest, attempt: number) {
  const { beforeRequest, afterResponse } = sender.hooks
  const authorization = await sender.authorize()
  const { method, origin, path, headers, body } = call.request
  const shown = { callId: call.id, attempt, method, url: origin + path }
  request.headers = { ...headers, authorization }
  if (beforeRequest) {
    const added = await askHook(beforeRequest, { ...shown, headers, body })
    request.headers = { ...added, ...request.headers }
  }
  // The attempt may have ended meanwhile, and nothing may be sent after its end.
  request.throwIfEnded()
  // Until the transport says otherwise, the request counts as sent.
  request.onPhase('headers')
  const response = await sender.transport.send(request)
  if (afterResponse) {
    const { status, headers, text: bodyText } = response
    swallowErrors(afterResponse)({ ...shown, status, headers, bodyText })
  }
  return response
}

/** The headers that a hook adds. They cannot replace those that the client sets. */
async function askHook(
  beforeRequest: NonNullable<DerivedOptions['beforeRequest']>,
  request: OutgoingRequest,
): Promise<Record<string, string>> {
  try {
    const {
      authorization: _,
      host: __,
      ...added
    } = lowerCased((await beforeRequest(request)) ?? {})
    return added
  } catch (cause) {
    throw new ConfigError('beforeRequest failed', { cause })
  }
}

/** The request and the lifetime of one attempt. A class, so that `signal` is only created if a transport reads it. */
class AttemptRequest extends Lifetime implements TransportRequest {
  declare readonly method: string
  declare readonly origin: string
  declare readonly path: string
  declare headers: Readonly<Record<string, string>>
  declare readonly body: string | undefined
  declare readonly maxResponseBytes: number
  readonly #clock: Clock

  constructor(request: SentRequest, clock: Clock) {
    super()
    Object.assign(this, request)
    this.#clock = clock
  }

  readonly onPhase = (phase: 'connect' | 'headers' | 'body') => {
    if (!this.hasEnded) this.#clock.phase = phase
  }
}

function judge({ status, headers, text, end, cause }: TransportResponse): Attempt {
  const received = { status, headers, text }
  if (!isSuccess(status)) {
    const retryAfterMs = parseRetryAfter(headers, Date.now())
    return { failure: { kind: 'http', status, retryAfterMs }, received }
  }
  if (end === 'broken') return { failure: networkFailure(cause, 'body') }
  return { received, isTooLong: end === 'too-long' }
}

// Failures that a retry cannot fix: a bad certificate, a wrong address, a closed client.
const PERMANENT =
  /^(CERT_|DEPTH_ZERO|EPROTO|ERR_(CLOSED|INVALID|SSL|TLS)|SELF_SIGNED|UNABLE_TO|UND_ERR_INVALID)/

function networkFailure(error: unknown, phase: Phase): AttemptFailure {
  const failure = error instanceof TransportFailure ? error : new TransportFailure(error, true)
  const code = codeOf(failure.cause)
  const permanent = code !== undefined && PERMANENT.test(code)
  // Some transports, such as `fetch`, report no connect phase: only their failure tells that nothing was sent.
  const reached = failure.sent ? phase : 'connect'
  return { kind: 'network', phase: reached, sent: failure.sent, permanent, cause: failure.cause }
}

/** The code of a system error, or of the first error in an `AggregateError`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
