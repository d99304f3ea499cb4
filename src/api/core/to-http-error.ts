import type { ErrorFacts } from '../errors.ts'
import { type HttpError, httpErrorOf } from '../http-errors.ts'
import { isRecord } from '../record.ts'
import { errorBodyBytes, type ResponseHeaders } from '../transport.ts'
import { describeBody, parseJson } from '../validation/decode.ts'
import type { Received } from './attempt.ts'
import { redact, redactValue } from './redact.ts'

export interface ErrorResponse extends Received {
  retryAfterMs: number | undefined
}

const LATEST_DATE = 8.64e15
const DETAIL_LENGTH = 2_000
const SHOWN_BODY = 200

/** Turns a response that is no success into an error that keeps all it says. */
export function toHttpError(
  response: ErrorResponse,
  facts: ErrorFacts,
  secrets: readonly string[],
  now: number,
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
  const askAgainAt = Math.min(LATEST_DATE, now + (retryAfterMs ?? 0))
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

/** What an error may show of a response. */
export function shownOf({ status, headers, text }: Received, secrets: readonly string[]) {
  const clean = redactValue(headers, secrets) as ResponseHeaders
  const bodyText = redact(text.slice(0, errorBodyBytes), secrets)
  return { status, headers: clean, requestId: requestIdOf(clean), bodyText }
}

/** The request ID that a header carries. */
export function requestIdOf(headers: ResponseHeaders = {}): string | undefined {
  for (const name of ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']) {
    const value = textOf(headers[name])
    if (value) return value
  }
  return undefined
}

/** Reads the usual body, the one of analytics (`requestId`), and what other services call the same. */
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

/** A text, or the text that an object such as `{ message }` has. */
function messageOf(value: unknown): string | undefined {
  return textOf(value) ?? textOf(Object(value).detail) ?? textOf(Object(value).message)
}

function textOf(value: unknown): string | undefined {
  return (typeof value === 'string' && value) || undefined
}

/** JSON in which nothing is called a detail or a message is shown itself. */
function shorten(value: unknown): string | undefined {
  const text = JSON.stringify(value) ?? ''
  if (/^(\{\}|\[\]|null|"")?$/.test(text)) return undefined
  return text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}…` : text
}

/** Where a redirect leads, without what its query may carry. */
function redirectTarget(status: number, { location }: ResponseHeaders): string | undefined {
  if (!/^3/.test(`${status}`) || typeof location !== 'string') return undefined
  return `the response redirects to ${location.split(/[?#]/)[0]}`
}

/** Loaded on the way to an error only, so that a client does not load the module at its start. */
function statusTitle(status: number): string {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  return http?.STATUS_CODES[status] ?? 'unknown status'
}
