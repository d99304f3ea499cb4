import { parseJson } from '../validation/decode.ts'
import type { ErrorFacts } from './errors.ts'
import { type HttpError, makeHttpError } from './http-errors.ts'
import { isRecord } from './record.ts'
import { redact, redactValue } from './redact.ts'
import type { ResponseHeaders } from './transport.ts'

export interface ErrorResponse {
  status: number
  headers: ResponseHeaders
  text: string
  retryAfterMs: number | undefined
}

const LATEST_DATE = 8.64e15
const DETAIL_LENGTH = 2_000

/** Turns an answer that is no success into an error that keeps all it says. */
export function toHttpError(
  answer: ErrorResponse,
  facts: ErrorFacts,
  secrets: Iterable<string>,
  now: number,
): HttpError {
  const { status, headers, retryAfterMs } = answer
  const text = redact(answer.text, secrets)
  const problem = readProblem(text)
  const title = problem.title ?? statusTitle(status)
  const said = problem.detail ?? elsewhere(problem.isJson, answer)
  const place = `${facts.method} ${facts.route}`
  return makeHttpError(`${place}: ${status} ${title}${said ? `: ${said}` : ''}`, {
    ...facts,
    status,
    title,
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    ...(problem.metadata === undefined ? {} : { metadata: problem.metadata }),
    ...optionalId(problem.requestId ?? requestIdOf(headers), secrets),
    ...(retryAfterMs === undefined
      ? {}
      : { retryAt: new Date(Math.min(LATEST_DATE, now + retryAfterMs)) }),
    bodyText: text,
  })

  function readProblem(body: string) {
    const parsed = parseJson(body)
    const value = 'value' in parsed ? redactValue(parsed.value, secrets) : undefined
    return { isJson: 'value' in parsed, ...problemOf(value) }
  }
}

/** The request ID that a header carries. */
export function requestIdOf(headers: ResponseHeaders): string | undefined {
  for (const name of ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** Reads the usual body, the one of analytics (`requestId`), and a lone `error`. */
function problemOf(value: unknown) {
  if (!isRecord(value)) return {}
  const detail = textOf(value.detail) ?? textOf(value.error) ?? textOf(value.message)
  return {
    detail: detail?.slice(0, DETAIL_LENGTH),
    title: textOf(value.title),
    metadata: isRecord(value.metadata) ? value.metadata : undefined,
    requestId: textOf(value.requestId),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A body that is not JSON did not come from the API itself. */
function elsewhere(isJson: boolean, { headers, text }: ErrorResponse): string | undefined {
  if (isJson) return undefined
  if (text === '') return 'the answer is empty'
  const type = headers['content-encoding'] ?? headers['content-type']
  if (/\bjson\b/i.test(String(type))) return 'the answer is damaged JSON'
  return `the answer is ${typeof type === 'string' ? type : 'not JSON'}, perhaps from a proxy`
}

function optionalId(requestId: string | undefined, secrets: Iterable<string>) {
  return requestId === undefined ? {} : { requestId: redact(requestId, secrets) }
}

/** Only needed on the way to an error, so that a client does not load the module at its start. */
function statusTitle(status: number): string {
  return process.getBuiltinModule('node:http').STATUS_CODES[status] ?? 'unknown status'
}
