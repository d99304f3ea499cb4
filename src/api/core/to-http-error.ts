import type { ErrorFacts } from '../errors.ts'
import { type HttpError, httpErrorOf } from '../http-errors.ts'
import { isRecord } from '../record.ts'
import { process } from '../timers.ts'
import { errorBodyBytes, type ResponseHeaders } from '../transport.ts'
import { describeBody, parseJson } from '../validation/decode.ts'
import type { Received } from './attempt.ts'
import { redact, redactValue } from './redact.ts'

interface ErrorResponse extends Received {
  retryAfterMs: number | undefined
}

const LATEST_DATE = 8.64e15
const DETAIL_LENGTH = 2_000
const SHOWN_BODY = 200

/** Turns an unsuccessful response into an error that keeps all information of the response. */
export function toHttpError(
  response: ErrorResponse,
  facts: ErrorFacts,
  secrets: readonly string[],
): HttpError {
  const { status, retryAfterMs } = response
  const shown = shownOf(response, secrets)
  const parsed = parseJson(shown.bodyText)
  const value = parsed && redactValue(parsed.value, secrets)
  const { requestId = shown.requestId, title = statusTitle(status), ...problem } = problemOf(value)
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

/** Loads `node:http` only for an error, so that clients start faster. */
function statusTitle(status: number): string {
  const http = process?.getBuiltinModule?.('node:http')
  return http?.STATUS_CODES[status] ?? 'unknown status'
}
