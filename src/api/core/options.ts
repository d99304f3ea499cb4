import type { Drift } from '../errors.ts'
import type { EndpointId } from '../operations.ts'
import type { ResponseHeaders, Transport } from '../transport.ts'
import type { AttemptFailure } from './retry.ts'

/** A key, or a function that is asked for a key or a JWT before every attempt. */
export type Credential = string | (() => string | Promise<string>)

/** Limits and headers, for a client or for one call. */
export interface Limits {
  /** How long one attempt may take, with connection and body, in milliseconds. @default 60000 */
  timeoutMs?: number | undefined
  /** How long a call may take, with all attempts and pauses, in milliseconds. @default 180000 */
  deadlineMs?: number | undefined
  /** How often a request may be retried, where a second copy does no harm. @default 2 */
  retries?: number | undefined
  /**
   * Whether a request that a second copy would do again may be repeated after 429, or 503 with `Retry-After`: they say that
   * it was not carried out. @default false
   */
  retryRejected?: boolean | undefined
  /** Additional headers. They do not replace those that the client sets. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Whether unknown inputs, and missing or mistyped known fields of responses, are errors. @default false */
  strict?: boolean | undefined
  /** The longest response that is accepted, in bytes after decompression, up to 512 MiB. Not for `asResponse()`. @default 67108864 */
  maxResponseBytes?: number | undefined
}

/** The options of a single call. */
export interface CallOptions extends Limits {
  /** Ends the call at once, whatever it is doing. */
  signal?: AbortSignal | undefined
  /** Additional query parameters, besides the inputs, sent unchanged. */
  extraQuery?: Readonly<Record<string, unknown>> | undefined
  /** Additional fields of the body, besides the inputs, sent unchanged. */
  extraBody?: Readonly<Record<string, unknown>> | undefined
  /** Additional headers of this call only, besides `headers`. */
  extraHeaders?: Readonly<Record<string, string>> | undefined
}

/** Stands for options that were left out. */
export const noOptions: CallOptions = {}

/** A request just before it is sent, without the credentials. */
export interface OutgoingRequest {
  /** The same for all attempts of a call, and different for each call of the process. */
  callId: number
  /** Number of this attempt within the call, from 1. */
  attempt: number
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** A response just after it was received. */
export interface IncomingResponse {
  callId: number
  attempt: number
  method: string
  url: string
  status: number
  headers: ResponseHeaders
  /** Empty for `asResponse()`. */
  bodyText: string
}

/** Values for some endpoints. A misspelt ID would silently have no effect. */
type ByEndpoint<Value> = { readonly [Id in EndpointId]?: Value | undefined }

/** The options of a client that its derived clients may change. */
export interface DerivedOptions extends Limits {
  /** A key, or a function that gives one. @default HOOKBELL_API_KEY, else FACTORY_API_KEY */
  apiKey?: Credential | undefined
  /** URL of the API. @default HOOKBELL_API_BASE_URL, else https://api.factory.ai */
  baseUrl?: string | undefined
  /**
   * URL of the application, for readiness reports. Required with a `baseUrl` of your own.
   * @default HOOKBELL_APP_BASE_URL, else https://app.factory.ai
   */
  appUrl?: string | undefined
  /** Whether the key may go over plain http to another machine. @default false */
  allowInsecureHttp?: boolean | undefined
  /** Replaces the names of inputs in requests, by endpoint `id` and input name. */
  wire?: ByEndpoint<Readonly<Record<string, string>>> | undefined
  /** Replaces the paths of endpoints, by endpoint `id`. */
  paths?: ByEndpoint<string> | undefined
  /** Called once for each endpoint and field path where an input or a response differs from the known shape. */
  onDrift?: ((drift: Drift) => void) | undefined
  /** Called after every attempt. The report contains no credentials, inputs or response data. */
  onAttempt?: ((report: CallReport) => void) | undefined
  /** Called before every attempt. Headers that it returns are added, for example to trace or to sign. */
  beforeRequest?: ((request: OutgoingRequest) => HookHeaders | Promise<HookHeaders>) | undefined
  /** Called after every response, including error responses. */
  afterResponse?: ((response: IncomingResponse) => void) | undefined
  /** The environment variables to read. `HOOKBELL_LOG=debug` logs every attempt to stderr. @default process.env */
  env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Headers to add, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing must be allowed
export type HookHeaders = Readonly<Record<string, string>> | undefined | void

/** The options of a client. */
export interface ClientOptions extends DerivedOptions {
  /**
   * `undici` keeps connections open, `https` suits commands that exit after a request, `fetch` runs anywhere.
   * @default 'undici' on Node.js, else 'fetch'
   */
  transport?: 'undici' | 'https' | 'fetch' | Transport | undefined
}

/** One attempt of one call, for logs. */
export interface CallReport extends AttemptReport {
  /** The same for all attempts of a call, and different for each call of the process. */
  callId: number
  method: string
  /** The path with its `{names}`. */
  route: string
}

/** What happened in one attempt, for logs. */
interface AttemptReport {
  /** Number of this attempt within the call, from 1. */
  attempt: number
  /** How long this attempt took, in milliseconds. */
  elapsedMs: number
  status?: number
  requestId?: string
  failure?: AttemptFailure['kind']
  /** The pause before the next attempt, in milliseconds. Left out if this was the last one. */
  retryInMs?: number
}
