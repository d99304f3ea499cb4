import { hasErrorMarker } from '../errors.ts'
import type { ResponseHeaders } from '../transport.ts'
import type { Answered } from './call.ts'
import { requestIdOf } from './failure.ts'
import { responseOf } from './read-response.ts'

/** Facts about a call and its response, besides the data. */
export interface ResponseInfo {
  /** HTTP status code. 404 if the response to a deletion was lost and a retry found it deleted. */
  status: number
  /** Response headers by name, in lower case. */
  headers: ResponseHeaders
  /** ID of the request, for support. */
  requestId: string | undefined
  /** How many attempts were made, including the first. */
  attempts: number
  /** How long the call took, with all attempts and pauses, in milliseconds. */
  elapsedMs: number
}

/** The data of a response with status, headers and request ID. */
export interface WithResponse<Data> extends ResponseInfo {
  data: Data
}

/** A promise of the data. `withResponse()` adds status, headers and request ID; `asResponse()` gives the response itself. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data with the status, the headers and the request ID of its response. Sends nothing again. */
  withResponse(): Promise<WithResponse<Data>>
  /**
   * The response as it arrives: status, headers, and the body as a stream that nothing has read, checked or limited.
   * Called in the same expression as the method; the call itself then resolves to the response as well. Once it is there,
   * only `signal` and `close()` end it: read the body, or cancel it. Failures and errors of the service reject as ever.
   *
   * @example
   * const { status, headers, body } = await client.wiki.get({ wikiRunId }).asResponse()
   */
  asResponse(): Promise<Response>
}

/**
 * Sends a request and reads its response. Returns the promise of the async function itself, not one derived from it:
 * V8 then knows who awaits it, which the stack of errors needs.
 */
export function makeApiPromise(
  send: (isStreamed: () => boolean) => Promise<Answered>,
  read: (answered: Answered) => unknown,
  site?: CallSite,
): ApiPromise<unknown> {
  let isRaw = false
  let answered: Answered
  let response: Response | undefined
  const promise = callEndpoint()
  const withResponse = () => promise.then((data) => ({ data, ...infoOf(answered) }))
  const asResponse = () => {
    isRaw = true
    return promise.then(() => response ?? responseOf(answered))
  }
  return Object.assign(promise, { withResponse, asResponse })

  async function callEndpoint() {
    try {
      answered = await send(() => isRaw)
      if (!isRaw) return read(answered)
      response = responseOf(answered)
      return response
    } catch (error) {
      throw atCallSite(error, site, 'callEndpoint')
    }
  }
}

/** Status, headers and request ID of the response of a call. */
function infoOf({ call, outcome }: Answered): ResponseInfo {
  const { attempts, elapsedMs } = outcome.facts
  const { status = 0, headers = {} } = outcome.last.received ?? {}
  return { status, headers, requestId: requestIdOf(headers, call.secrets), attempts, elapsedMs }
}

/** Where a call was made: the stack without the frames of the client. */
export interface CallSite {
  stack?: string
}

/**
 * Captures the stack of the caller of `method`. This takes 10 µs, a tenth of a fast request, so only lists
 * do it, which make many requests. Single calls rely on V8's async stack traces.
 */
export function captureCallSite(method: (...values: never[]) => unknown): CallSite {
  const site: CallSite = {}
  // Not every browser has it.
  Error.captureStackTrace?.(site, method)
  return site
}

/** Lets the stack of an error begin where the call was made, not inside the client. */
function atCallSite(error: unknown, site: CallSite | undefined, entry: string): unknown {
  if (!hasErrorMarker(error)) return error
  const { stack, name, message } = error
  const frames = site?.stack ? site.stack.split('\n').slice(1) : framesAfter(stack, entry)
  if (frames.length === 0) return error
  error.stack = [`${name}: ${message}`, ...frames].join('\n')
  return error
}

/** The stack frames that await the function. Empty if the caller did not await it. */
function framesAfter(stack = '', entry: string): string[] {
  const lines = stack.split('\n')
  const last = lines.findLastIndex(
    (line) => / at (async )?(.*\.)?(\w+) \(/.exec(line)?.[3] === entry,
  )
  return last < 0 ? [] : lines.slice(last + 1)
}
