import { type InputIssue, ValidationError } from '../errors.ts'
import type { Host, RetryClass } from '../operation.ts'
import { isRecord } from '../record.ts'
import { encodeQuery, toJson } from '../validation/encode-value.ts'
import { type ApiPromise, type InfoHolder, makeApiPromise } from './api-promise.ts'
import { infoOf, perform, type Shared } from './call.ts'
import { atCallSite } from './call-site.ts'
import { type CallOptions, noOptions } from './options.ts'
import { readAny } from './read-response.ts'

/** A request to a path that the table does not have. */
export interface RawRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/`, without a query. Values in it must be encoded already. */
  path: string
  /** Text, numbers, booleans, or lists of them. */
  query?: Readonly<Record<string, unknown>>
  /** Any JSON value. */
  body?: unknown
  /** @default 'base' */
  host?: Host
  /** `safe` if a second copy changes nothing more. @default 'safe' for GET and HEAD, else 'never' */
  retry?: RetryClass
}

/** `client.request`: any request, with the deadline, the retries and the errors of every other. */
export function makeRequest(shared: Shared) {
  return function request(
    input: RawRequest,
    options: CallOptions = noOptions,
  ): ApiPromise<unknown> {
    const holder: InfoHolder = {}
    return makeApiPromise(callRaw(input, options, holder), holder)
  }

  async function callRaw(input: RawRequest, options: CallOptions, holder: InfoHolder) {
    try {
      const { path, body } = encodeRaw(input, options ?? noOptions)
      const { method, host = 'base' } = input
      const retry = input.retry ?? (method === 'GET' || method === 'HEAD' ? 'safe' : 'never')
      const treat404AsDeleted = method === 'DELETE' && retry === 'safe'
      const target = { id: 'request', method, route: input.path, host, retry, treat404AsDeleted }
      const answered = await perform(shared, { ...target, hints: {}, path, body }, options)
      holder.info = infoOf(answered)
      return readAny(answered)
    } catch (error) {
      throw atCallSite(error, undefined, 'callRaw')
    }
  }
}

const METHODS = /^(GET|HEAD|POST|PUT|PATCH|DELETE)$/
const PATH = /^(?!\/\/)(\/[\w!$&'()*+,;=:@.~%-]*)+$/
const DOTS = /\/(\.|%2e){1,2}(?=\/|$)/i

function encodeRaw(
  input: RawRequest,
  { extraQuery, extraBody }: CallOptions,
): { path: string; body: string | undefined } {
  const issues: InputIssue[] = []
  const check = (isRight: boolean, field: string, problem: string) => {
    if (!isRight) issues.push({ field, problem })
  }
  if (!isRecord(input))
    throw new ValidationError('request', [{ field: 'input', problem: 'must be an object' }])
  const { method, path, query = {}, body, host = 'base', retry = 'never' } = input
  check(
    typeof method === 'string' && METHODS.test(method),
    'method',
    'must be GET, HEAD, POST, PUT, PATCH or DELETE',
  )
  const isText = typeof path === 'string'
  check(isText && PATH.test(path), 'path', 'must start with / and be encoded')
  check(!isText || !DOTS.test(path), 'path', 'must not have . or .. segments')
  check(isRecord(query), 'query', 'must be an object')
  check(host === 'base' || host === 'app', 'host', 'must be base or app')
  check(retry === 'safe' || retry === 'never', 'retry', 'must be safe or never')
  check(
    body === undefined || (method !== 'GET' && method !== 'HEAD'),
    'body',
    'needs another method',
  )
  const text = encodeQuery({ ...(isRecord(query) ? query : {}), ...extraQuery }, issues)
  const sent = extraBody ? { ...Object(body), ...extraBody } : body
  const json = sent === undefined ? undefined : toJson(sent, issues)
  if (issues.length > 0) throw new ValidationError('request', issues)
  return { path: text === '' ? path : `${path}?${text}`, body: json }
}
