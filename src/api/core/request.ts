import { addIssue, type InputIssue, throwIfAny } from '../errors.ts'
import type { Host, RetryClass } from '../operation.ts'
import { isRecord } from '../record.ts'
import { check } from '../validation/check.ts'
import { checkExtras, encodeQuery, toIssue, toJson } from '../validation/encode.ts'
import { shape } from '../validation/shape.ts'
import { type ApiPromise, makeApiPromise } from './api-promise.ts'
import type { Shared, Target } from './attempt.ts'
import { perform } from './call.ts'
import { type CallOptions, noOptions } from './options.ts'
import { readResponse } from './read-response.ts'

/** A request to any path, for endpoints that the client has no method for. */
export interface RawRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/`, without a query. Values in it must be encoded already. */
  path: string
  /** Text, numbers, booleans, or lists of them. */
  query?: Readonly<Record<string, unknown>> | undefined
  /** Any JSON value. */
  body?: unknown
  /** @default 'base' */
  host?: Host | undefined
  /** `safe` if sending it twice has the effect of once. @default 'safe' for GET and HEAD, else 'never' */
  retry?: RetryClass | undefined
}

/** `client.request`: sends any request, with the same deadline, retries and errors as the other methods. */
export function makeRequest(shared: Shared) {
  return (input: RawRequest, given?: CallOptions): ApiPromise<unknown> => {
    const options = given ?? noOptions
    return makeApiPromise(
      async (isStreamed) => perform(shared, targetOf(input, options), options, isStreamed),
      (answered) => readResponse(shared, undefined, answered),
    )
  }
}

const INPUT =
  '!{method:(GET|HEAD|POST|PUT|PATCH|DELETE),path:s,query?:o,body?:*,host?:(base|app),retry?:(safe|never)}'
const PATH = /^(?!\/\/)(\/[\w!$&'()*+,;=:@.~%-]*)+$/
const DOTS = /\/(\.|%2e){1,2}(?=\/|$)/i

function targetOf(input: RawRequest, options: CallOptions): Target {
  const { extraQuery, extraBody } = options
  const issues: InputIssue[] = check(shape(INPUT), input).map(toIssue)
  throwIfAny('request', issues)
  const { method, path, query, body, host = 'base' } = input
  const isRead = /^(GET|HEAD)$/.test(method)
  if (!PATH.test(path)) addIssue(issues, 'path', 'must start with /, encoded, without a query')
  if (DOTS.test(path)) addIssue(issues, 'path', 'must not have . or .. segments')
  if (body !== undefined && isRead) addIssue(issues, 'body', 'needs another method')
  checkExtras(options, !isRead && isRecord(body ?? {}), issues)
  const text = encodeQuery({ ...query, ...extraQuery }, issues)
  const sent = extraBody ? { ...(body as object), ...extraBody } : body
  const json = sent === undefined ? undefined : toJson(sent, issues)
  throwIfAny('request', issues)
  const { retry = isRead ? 'safe' : 'never' } = input
  return {
    place: 'request',
    method,
    route: path,
    host,
    retry,
    path: path + text,
    body: json,
  }
}
