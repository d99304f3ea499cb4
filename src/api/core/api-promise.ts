import type { ResponseHeaders } from '../transport.ts'
import type { Answered } from './call.ts'
import { atCallSite, type CallSite } from './call-site.ts'
import { requestIdOf } from './to-http-error.ts'

/** What is known of a response besides its data. */
export interface ResponseInfo {
  /** HTTP status code. For a deletion that only its repeat confirms, that of the repeat: 404. */
  status: number
  /** By name in lower case. */
  headers: ResponseHeaders
  /** ID of the request, for support. */
  requestId: string | undefined
  /** How many requests it took. */
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
 * Sends a request and reads its response. Gives the promise itself, not one that is made from it: the engine knows
 * who awaits it, for the stack of errors.
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
function infoOf({ outcome }: Answered): ResponseInfo {
  const { attempts, elapsedMs } = outcome.facts
  const { status = 0, headers = {} } = outcome.last.received ?? {}
  return { status, headers, requestId: requestIdOf(headers), attempts, elapsedMs }
}
