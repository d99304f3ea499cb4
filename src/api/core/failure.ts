import {
  AbortedError,
  type BaseClientError,
  type ErrorFacts,
  type HttpError,
  httpErrorOf,
  NetworkError,
  TimeoutError,
} from '../errors.ts'
import { statusTitle } from '../platform.ts'
import { isRecord } from '../record.ts'
import { errorBodyBytes, type Phase, type ResponseHeaders } from '../transport.ts'
import { describeBody, parseJson } from '../validation/decode.ts'
import { type Attempt, type Call, codeOf, type Received } from './attempt.ts'
import { redact, redactCause, redactValue } from './redact.ts'

const PROXY_HINT =
  'give the proxy its user and password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT'

const doing: Record<Phase, string> = {
  credentials: 'waiting for the credentials',
  connect: 'connecting',
  headers: 'waiting for the response',
  body: 'reading the response',
  wait: 'waiting before a retry',
}

/** The error for a call that got no response, or an unsuccessful one. */
export function toError(
  call: Call,
  facts: ErrorFacts,
  { failure, received }: Extract<Attempt, { failure: object }>,
): BaseClientError {
  const { secrets, settings, target } = call
  if (failure.kind === 'http') {
    const { status, retryAfterMs } = failure
    const hint =
      target.hints?.[status] ??
      { 401: `check the key in ${settings.keySource}`, 407: PROXY_HINT }[status]
    // A status comes with a response.
    const response = { ...(received as Received), retryAfterMs }
    return toHttpError(response, hint ? { ...facts, hint } : facts, secrets)
  }
  const { phase } = failure
  const message = (problem: string) =>
    `${target.method} ${target.route}: ${problem} while ${doing[phase]}`
  if (failure.kind === 'aborted')
    return new AbortedError(message('aborted'), { ...facts, cause: failure.reason })
  if (failure.kind === 'network') return networkError(message, failure, facts, secrets)
  const { limit } = failure
  const problem = `no response within ${call.limits[limit]} ms (${limit}),`
  return new TimeoutError(message(problem), { ...facts, phase, limit })
}

function networkError(
  message: (problem: string) => string,
  { phase, cause: given }: { phase: Phase; cause: unknown },
  facts: ErrorFacts,
  secrets: readonly string[],
) {
  const cause = redactCause(given, secrets)
  const code = codeOf(cause)
  // The messages of OpenSSL end with a line break.
  const said = (cause instanceof Error && cause.message.trim()) || code || 'failed'
  const [, refusal] = /^Proxy response \((\d+)\)/.exec(said) ?? []
  const isTls = TLS_CODE.test(code ?? '') || TLS_MESSAGE.test(said)
  const problem = refusal
    ? `the proxy answered ${refusal} ${statusTitle(Number(refusal)) ?? ''}`.trim()
    : `${isTls ? 'TLS error: ' : ''}${said}`
  return new NetworkError(message(`${problem},`), {
    hint: phase === 'connect' ? connectHint(code, refusal) : undefined,
    ...facts,
    cause,
    phase,
    code,
  })
}

const TLS_CODE =
  /^(CERT_|DEPTH_ZERO|EPROTO|ERR_(OSSL|SSL|TLS)|HOSTNAME_MISMATCH|SELF_SIGNED|UNABLE_TO)/
/** Deno gives no codes. */
const TLS_MESSAGE = /peer certificate|\bTLS\b/

function connectHint(code = '', refusal = '') {
  if (code === 'ERR_CLOSED') return 'make a new client'
  if (refusal === '407') return PROXY_HINT
  return /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
    ? 'to trust it, use NODE_EXTRA_CA_CERTS'
    : 'check the URL, the network and the proxy settings'
}

interface ErrorResponse extends Received {
  retryAfterMs: number | undefined
}

const LATEST_DATE = 8.64e15
const DETAIL_LENGTH = 2_000
const SHOWN_BODY = 200

/** Turns an unsuccessful response into an error that keeps all information of the response. */
function toHttpError(
  response: ErrorResponse,
  facts: ErrorFacts,
  secrets: readonly string[],
): HttpError {
  const { status, retryAfterMs } = response
  const shown = shownOf(response, secrets)
  const parsed = parseJson(shown.bodyText)
  const value = parsed && redactValue(parsed.value, secrets)
  const {
    requestId = shown.requestId,
    title = statusTitle(status) ?? 'unknown status',
    ...problem
  } = problemOf(value)
  const target = redirectTarget(status, shown.headers)
  const body = parsed ? shorten(value) : `the response is ${describeBody(response)}`
  const said = target ?? problem.detail ?? body
  const message = `${facts.method} ${facts.route}: ${status} ${title}${said ? `: ${said}` : ''}`
  const askAgainAt = Math.min(LATEST_DATE, Date.now() + (retryAfterMs ?? 0))
  return new (httpErrorOf(status))(message, {
    hint: target && 'check baseUrl and appUrl: redirects are not followed',
    ...facts,
    ...shown,
    ...problem,
    requestId,
    title,
    retryAt: retryAfterMs === undefined ? undefined : new Date(askAgainAt),
  })
}

/** The part of a response that an error may show: secrets masked, the body truncated. */
export function shownOf({ status, headers, text }: Received, secrets: readonly string[]) {
  const clean = redactValue(headers, secrets) as ResponseHeaders
  const bodyText = redact(text.slice(0, errorBodyBytes), secrets)
  return { status, headers: clean, requestId: requestIdOf(headers, secrets), bodyText }
}

/** The request ID that a header carries. The service chooses it, and may echo the key in it. */
export function requestIdOf(
  headers: ResponseHeaders = {},
  secrets: readonly string[],
): string | undefined {
  for (const name of ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']) {
    const value = textOf(headers[name])
    if (value) return redact(value, secrets)
  }
  return undefined
}

/** Reads the usual error body, the one of analytics (with `requestId`), and the field names of other services. */
function problemOf(value: unknown) {
  const { detail, error, message, errors, title, metadata, requestId } = Object(value)
  const texts = [detail, error, message, [errors].flat()[0]].map(messageOf)
  return {
    detail: texts.find(Boolean)?.slice(0, DETAIL_LENGTH),
    title: textOf(title),
    metadata: isRecord(metadata) ? metadata : undefined,
    requestId: textOf(requestId),
  }
}

/** The value if it is text, else the text in its `detail` or `message`. */
function messageOf(value: unknown): string | undefined {
  return textOf(value) ?? textOf(Object(value).detail) ?? textOf(Object(value).message)
}

function textOf(value: unknown): string | undefined {
  return (typeof value === 'string' && value) || undefined
}

/** The JSON itself, truncated: for bodies without a detail or a message. */
function shorten(value: unknown): string | undefined {
  const text = JSON.stringify(value) ?? ''
  if (/^(\{\}|\[\]|null|"")?$/.test(text)) return undefined
  return text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}…` : text
}

/** Where a redirect leads, without its query and password, which may be secrets. */
function redirectTarget(status: number, { location }: ResponseHeaders): string | undefined {
  if (!/^3/.test(`${status}`) || typeof location !== 'string') return undefined
  return `the response redirects to ${location.replace(/[?#].*|(?<=\/\/)[^/?#]*@/gs, '')}`
}
