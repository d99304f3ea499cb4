import { ConfigError, type Drift, hasErrorMarker } from '../errors.ts'
import type { Host, RetryClass } from '../operation.ts'
import { isRecord, swallowErrors } from '../record.ts'
import {
  isSuccess,
  type Phase,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'
import { type Clock, Ended, Lifetime, type Pauses } from './clock.ts'
import type { CallReport, ClientOptions, DerivedOptions, OutgoingRequest } from './options.ts'
import { type AttemptFailure, parseRetryAfter, type RetryBudget } from './retry.ts'
import { nextKey, RESERVED, resolveAddedHeaders, type Settings } from './settings.ts'

/** What all calls of a client share. */
export interface Shared {
  options: ClientOptions
  /** Throws a `ConfigError` if the client is not set up. */
  settings(): Settings
  transport: Transport
  pauses: Pauses
  budget: RetryBudget
  reportDrift(drift: Drift): void
  reportAttempt: ((report: CallReport) => void) | undefined
  /** Alternate paths that worked where the usual ones were not found, by endpoint `id`. */
  workingPaths: Map<string, string>
}

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
  hints?: Readonly<Record<number, string>> | undefined
}

/** A request that is ready to be sent, and how long and how often it may be tried. */
export interface Call {
  id: number
  shared: Shared
  settings: Settings
  target: Target
  limits: Settings['limits']
  /** What every attempt sends, apart from the key. */
  request: SentRequest
  /** The keys that were used so far. */
  secrets: string[]
  signal: AbortSignal | undefined
}

/** What every attempt of a call sends, apart from the key. */
export type SentRequest = Omit<TransportRequest, 'signal' | 'onEnd' | 'onPhase'>

export interface Received {
  status: number
  headers: ResponseHeaders
  text: string
}

/** The body of a response that still arrives. */
export interface Arriving {
  chunks: AsyncIterable<Uint8Array>
  /** Ends with the body. */
  life: Lifetime
  /** To be called when the body has ended: the call is over then. */
  stop(): void
}

export type Attempt =
  | { failure?: undefined; received: Received; isTooLong: boolean; arriving?: Arriving }
  | { failure: AttemptFailure; received?: Received }

/** Sends the request once. Returns network failures, timeouts and error statuses; rethrows a `ClientError`. */
export async function tryOnce(call: Call, clock: Clock, attempt: number): Promise<Attempt> {
  clock.phase = 'credentials'
  const life = new Lifetime()
  const onPhase: TransportRequest['onPhase'] = (phase) => {
    if (!life.endReason) clock.phase = phase
  }
  const request = Object.assign(life, call.request, { onPhase })
  let chunks: TransportResponse['body']
  try {
    const response = await clock.attempt(
      request,
      () => exchangeOnce(call, request, attempt),
      call.limits.timeoutMs,
    )
    chunks = response.body
    const judged = judge(response)
    if (!chunks || judged.failure) return judged
    return { ...judged, arriving: { chunks, life, stop: () => clock.stop(life) } }
  } catch (error) {
    if (error instanceof Ended) return { failure: error.failure }
    if (hasErrorMarker(error)) throw error
    return { failure: networkFailure(error, clock.phase) }
  } finally {
    if (!chunks) life.settle()
  }
}

async function exchangeOnce(call: Call, request: TransportRequest & Lifetime, attempt: number) {
  const { id: callId, secrets, shared } = call
  const { beforeRequest, afterResponse } = shared.options
  const key = await nextKey(call.settings)
  if (!secrets.includes(key)) secrets.push(key)
  const { method, origin, path, headers, body } = request
  const shown = () => ({ callId, attempt, method, url: origin + path })
  request.headers = { ...headers, authorization: `Bearer ${key}` }
  if (beforeRequest) {
    const added = await askHook(beforeRequest, { ...shown(), headers, body })
    request.headers = { ...added, ...request.headers }
  }
  // The attempt may have ended meanwhile, and nothing may be sent after its end.
  if (request.endReason) throw request.endReason
  // Until the transport says otherwise, the request counts as sent.
  request.onPhase('headers')
  const response = await shared.transport.send(request)
  if (afterResponse) {
    const { status, headers, text: bodyText } = response
    swallowErrors(afterResponse)({ ...shown(), status, headers, bodyText })
  }
  return response
}

/**
 * The headers that a hook adds. They cannot replace those that the client sets.
 * @throws {ConfigError} if the hook fails, or a header is malformed
 */
async function askHook(
  beforeRequest: NonNullable<DerivedOptions['beforeRequest']>,
  request: OutgoingRequest,
) {
  let added: object
  try {
    added = (await beforeRequest(request)) ?? {}
    if (isRecord(added)) added = Object.fromEntries(Object.entries(added).filter(isAllowed))
  } catch (cause) {
    throw new ConfigError('beforeRequest failed', { cause })
  }
  return resolveAddedHeaders('beforeRequest', added)
}

function isAllowed([name, value]: [string, unknown]) {
  return value !== undefined && !RESERVED.test(name)
}

function judge({ status, headers: given, text, end, cause }: TransportResponse): Attempt {
  // A transport of the user may leave out anything, or give null.
  const headers = given ?? {}
  const received = { status, headers, text: String(text ?? '') }
  if (!isSuccess(status)) {
    const retryAfterMs = parseRetryAfter(headers, Date.now())
    return { failure: { kind: 'http', status, retryAfterMs }, received }
  }
  // Not for a 204, which has no body: there, only a wrong content-length can make the end look broken.
  if (end === 'broken' && status !== 204) return { failure: networkFailure(cause, 'body') }
  return { received, isTooLong: end === 'too-long' }
}

// Failures that a retry cannot fix: a bad certificate, a wrong address, a closed client.
const PERMANENT =
  /^(CERT_|DEPTH_ZERO|EPROTO|ERR_(CLOSED|INVALID|SSL|TLS)|SELF_SIGNED|UNABLE_TO|UND_ERR_INVALID)/

/** What the error of a transport means. */
export function networkFailure(error: unknown, phase: Phase): AttemptFailure {
  const failure = error instanceof TransportFailure ? error : new TransportFailure(error, true)
  const permanent = isPermanent(failure.cause)
  // Some transports, such as `fetch`, report no connect phase: only their failure tells that nothing was sent.
  const reached = failure.sent ? phase : 'connect'
  return { kind: 'network', phase: reached, sent: failure.sent, permanent, cause: failure.cause }
}

/** Whether a retry cannot fix a network failure. */
export function isPermanent(cause: unknown): boolean {
  return PERMANENT.test(codeOf(cause) ?? '')
}

/** The code of a system error. */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(error)
  return typeof code === 'string' ? code : undefined
}
