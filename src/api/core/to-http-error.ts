import type { ErrorFacts } from '../errors.ts'
import { type HttpError, httpErrorOf } from '../http-errors.ts'
import { isRecord } from '../record.ts'
import type { ResponseHeaders } from '../transport.ts'
import { parseJson } from '../validation/decode.ts'
import { redact, redactValue } from './redact.ts'

export interface ErrorResponse {
  status: number
  headers: ResponseHeaders
  text: string
  retryAfterMs: number | undefined
}

const LATEST_DATE = 8.64e15
const DETAIL_LENGTH = 2_000
const SHOWN_BODY = 200

/** Turns a response that is no success into an error that keeps all it says. */
export function toHttpError(
  response: ErrorResponse,
  facts: ErrorFacts,
  secrets: Iterable<string>,
  now: number,
): HttpError {
  const { status, retryAfterMs } = response
  const text = redact(response.text, secrets)
  const parsed = parseJson(text)
  const value = 'value' in parsed ? redactValue(parsed.value, secrets) : undefined
  const { title = statusTitle(status), detail, metadata, requestId } = problemOf(value)
  const headers = redactValue(response.headers, secrets) as ResponseHeaders
  const target = redirectTarget(status, headers)
  const said = target ?? detail ?? ('value' in parsed ? shorten(value) : notJson(response))
  const message = `${facts.method} ${facts.route}: ${status} ${title}${said ? `: ${said}` : ''}`
  return new (httpErrorOf(status))(message, {
    hint: target && 'check baseUrl and appUrl: redirects are not followed',
    ...facts,
    status,
    title,
    detail,
    metadata,
    requestId: requestId ?? requestIdOf(headers),
    retryAt:
      retryAfterMs === undefined ? undefined : new Date(Math.min(LATEST_DATE, now + retryAfterMs)),
    headers,
    bodyText: text,
  })
}

/** The request ID that a header carries. */
export function requestIdOf(headers: ResponseHeaders): string | undefined {
  for (const name of ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value
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
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** JSON in which nothing is called a detail or a message is shown itself. */
function shorten(value: unknown): string | undefined {
  const text = JSON.stringify(value) ?? ''
  if (/^(\{\}|\[\]|null|"")?$/.test(text)) return undefined
  return text.length > SHOWN_BODY ? `${text.slice(0, SHOWN_BODY)}…` : text
}

/** Where a redirect leads, without what its query may carry. */
function redirectTarget(status: number, { location }: ResponseHeaders): string | undefined {
  if (status < 300 || status > 399 || typeof location !== 'string') return undefined
  return `the response redirects to ${location.split(/[?#]/)[0]}`
}

/** A body that is not JSON did not come from the API itself. */
function notJson({ headers, text }: ErrorResponse): string {
  if (text === '') return 'the response is empty'
  const type = headers['content-type']
  return isJson(type)
    ? 'the response is damaged JSON'
    : `the response is ${type ?? 'not JSON'}, perhaps from a proxy`
}

/** Whether a content type is one of JSON. */
export function isJson(type: unknown): boolean {
  return /\bjson\b/i.test(String(type))
}

/** Loaded on the way to an error only, so that a client does not load the module at its start. */
function statusTitle(status: number): string {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  return http?.STATUS_CODES[status] ?? 'unknown status'
}
