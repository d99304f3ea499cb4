import type { Drift } from '../validation/decode.ts'
import type { AttemptReport } from './send.ts'
import type { Transport } from './transport.ts'

/** A key, or a function that is asked for a key or a JWT before every attempt. */
export type Credential = string | (() => string | Promise<string>)

/** Limits and headers, for a client or for one call. */
export interface Limits {
  /** How long one attempt may take, with connection and body, in milliseconds. @default 60000 */
  timeoutMs?: number
  /** How long a call may take, with all attempts and pauses, in milliseconds. @default 180000 */
  deadlineMs?: number
  /** How often a request may be repeated, where that does no harm. @default 2 */
  retries?: number
  /** More headers. They replace none that the client sets. */
  headers?: Readonly<Record<string, string>>
  /** Whether an answer with a missing or mistyped known field is an error. @default false */
  strict?: boolean
  /** A longer answer is an error, in bytes. @default 67108864 */
  maxResponseBytes?: number
}

export interface CallOptions extends Limits {
  /** Ends the call at once, whatever it is doing. */
  signal?: AbortSignal
}

/** Stands for options that were left out. */
export const noOptions: CallOptions = {}

export interface ClientOptions extends Limits {
  /** @default HOOKBELL_API_KEY, else FACTORY_API_KEY */
  apiKey?: Credential
  /** Address of the API. @default HOOKBELL_API_BASE_URL, else https://api.factory.ai */
  baseUrl?: string
  /** Address of the readiness reports. @default HOOKBELL_APP_BASE_URL, else https://app.factory.ai */
  appUrl?: string
  /** `undici` keeps connections, `https` suits commands that exit after a request. @default 'undici' */
  transport?: 'undici' | 'https' | Transport
  /** Whether the key may go over plain http to another machine. @default false */
  allowInsecureHttp?: boolean
  /** Other names on the wire, by endpoint `id` and input name. */
  wire?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Other paths, by endpoint `id`. */
  paths?: Readonly<Record<string, string>>
  /** Called once for each endpoint and path where an answer is not as known. */
  onDrift?: (drift: Drift) => void
  /** Called after every attempt. Has no credentials, inputs or answers in it. */
  onAttempt?: (report: CallReport) => void
  /** Where the variables are looked up. @default process.env */
  env?: Readonly<Record<string, string | undefined>>
}

/** One attempt of one call, for logs. */
export interface CallReport extends AttemptReport {
  method: string
  route: string
}
