import type { ResponseHeaders } from '../transport.ts'
import type { Answered } from './call.ts'
import { atCallSite, type CallSite } from './call-site.ts'
import { requestIdOf } from './to-http-error.ts'

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

/** A promise of the data. `withResponse()` gives the data with status, headers and request ID. */
export interface ApiPromise<Data> extends Promise<Data> {
  withResponse(): Promise<WithResponse<Data>>
}

/**
 * Sends a request and reads its response. Returns the promise of the async function itself, not one derived from it:
 * V8 then knows who awaits it, which the stack of errors needs.
 */
export function makeApiPromise(
  send: () => Promise<Answered>,
  read: (answered: Answered) => unknown,
  site?: CallSite,
): ApiPromise<unknown> {
  let info: ResponseInfo
  const promise = callEndpoint()
  const withResponse = () => promise.then((data) => ({ data, ...info }))
  return Object.assign(promise, { withResponse })

  async function callEndpoint() {
    try {
      const answered = await send()
      info = infoOf(answered)
      return read(answered)
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
