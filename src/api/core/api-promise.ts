import type { ResponseHeaders } from '../transport.ts'

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

/** Where a call leaves what it knows of its response. */
export interface InfoHolder {
  info?: ResponseInfo
}

/** The promise itself, not one that is made from it: the engine knows who awaits it, for the stack of errors. */
export function makeApiPromise<Data>(promise: Promise<Data>, holder: InfoHolder): ApiPromise<Data> {
  const withResponse = () =>
    promise.then((data) => ({ data, ...(holder.info as ResponseInfo) }) as WithResponse<Data>)
  return Object.assign(promise, { withResponse })
}
