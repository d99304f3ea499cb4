import { withoutUndefined } from './record.ts'
import type { Phase, ResponseHeaders } from './transport.ts'

export type ErrorKind =
  | 'config'
  | 'validation'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'http'
  | 'decode'
  | 'partial'

/** What is known of a failed call. All of it may be shown: no credentials, no input values. */
export interface ErrorFacts {
  /** What to do about it. */
  hint?: string
  cause?: unknown
  method?: string
  /** The path with its `{names}`, not with their values. */
  route?: string
  /** How often the request was tried. */
  attempts?: number
  elapsedMs?: number
  /** The request may have been carried out although it failed. Absent if it has not. */
  outcome?: 'unknown'
}

/** A known field that was missing or of another type than known, or an input that is not known. */
export interface Drift {
  /** The `id` of the endpoint. */
  endpoint: string
  /** Whether it is about what was sent or about what came back. */
  in: 'input' | 'response'
  /** The field, such as `messages[].role`; `[]` stands for any index. */
  path: string
  problem: string
}

/** The same facts, where one that is undefined counts as left out. */
type Loose<Facts> = { [Name in keyof Facts]?: Facts[Name] | undefined }

// Shared by every copy of this library in a process, unlike `instanceof`.
const marker = Symbol.for('hookbell.api.error')

/** What the errors of a client have in common. Users see the union `ClientError`. */
export abstract class BaseClientError<Facts extends ErrorFacts = ErrorFacts>
  extends Error
  implements ErrorFacts
{
  abstract readonly kind: ErrorKind
  declare readonly hint?: string
  declare readonly method?: string
  declare readonly route?: string
  declare readonly attempts?: number
  declare readonly elapsedMs?: number
  declare readonly outcome?: 'unknown'

  constructor(message: string, { cause, ...facts }: Loose<Facts> = {}) {
    super(message, cause === undefined ? {} : { cause })
    Object.assign(this, withoutUndefined(facts))
  }

  get [marker](): true {
    return true
  }

  /** All but the body text and the cause. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) }
  }
}

/** Whether an error was made here, or by another copy of this library. */
export function hasErrorMarker(error: unknown): error is BaseClientError {
  return Object(error)[marker] === true
}

/** The client is not set up: no key, an invalid URL. No request was made, unless `attempts` says so. */
export class ConfigError extends BaseClientError {
  override readonly name: string = 'ConfigError'
  readonly kind = 'config'
}

export interface InputIssue {
  /** The field, such as `users[0].email`. */
  field: string
  problem: string
}

/** An input or an option of the call is wrong. No request was made. */
export class ValidationError extends BaseClientError {
  override readonly name: string = 'ValidationError'
  readonly kind = 'validation'
  readonly issues: readonly InputIssue[]

  constructor(subject: string, issues: readonly InputIssue[], facts: Loose<ErrorFacts> = {}) {
    const lines = issues.map(({ field, problem }) => `${field}: ${problem}`)
    super(`${subject}: ${lines.join('; ')}`, facts)
    this.issues = issues
  }
}

/** The error for one field that is wrong. */
export function invalid(subject: string, field: string, problem: string, cause?: unknown) {
  return new ValidationError(subject, [{ field, problem }], { cause })
}

export function addIssue(issues: InputIssue[], field: string, problem: string) {
  issues.push({ field, problem })
}

export function throwIfAny(subject: string, issues: readonly InputIssue[]) {
  if (issues.length > 0) throw new ValidationError(subject, issues)
}

interface NetworkFacts extends ErrorFacts {
  phase: Phase
  code?: string
}

/** There is no connection, or it ended before the answer did. */
export class NetworkError extends BaseClientError<NetworkFacts> {
  override readonly name: string = 'NetworkError'
  readonly kind = 'network'
  declare readonly phase: Phase
  /** The code of the system or the TLS library, such as `ECONNREFUSED`. */
  declare readonly code?: string
}

interface TimeoutFacts extends ErrorFacts {
  phase: Phase
  limit: 'timeoutMs' | 'deadlineMs'
}

/** The time for one attempt (`timeoutMs`) or for the whole call (`deadlineMs`) ran out. */
export class TimeoutError extends BaseClientError<TimeoutFacts> {
  override readonly name: string = 'TimeoutError'
  readonly kind = 'timeout'
  declare readonly phase: Phase
  declare readonly limit: 'timeoutMs' | 'deadlineMs'
}

/** The signal of the call was aborted; `cause` is its reason. */
export class AbortedError extends BaseClientError {
  override readonly name: string = 'AbortedError'
  readonly kind = 'aborted'
}

/** What an error says of a response. */
export interface ResponseFacts extends ErrorFacts {
  status?: number
  requestId?: string
  bodyText?: string
  headers?: ResponseHeaders
}

/** An error that a response led to. */
export abstract class ResponseError<
  Facts extends ResponseFacts = ResponseFacts,
> extends BaseClientError<Facts> {
  declare readonly requestId?: string
  // Private, so that no log prints them: the body may hold a key that is shown only once.
  readonly #bodyText: Facts['bodyText']
  readonly #headers: ResponseHeaders

  constructor(message: string, facts: Loose<Facts> = {}) {
    const { bodyText, headers = {}, ...shown } = facts
    super(message, shown as Loose<Facts>)
    this.#bodyText = bodyText
    this.#headers = headers
  }

  /** The headers of the response, by name in lower case; credentials of the client are masked. */
  get headers(): ResponseHeaders {
    return this.#headers
  }

  /** The response body as it came, up to 64 KB; credentials of the client are masked. */
  get bodyText(): Facts['bodyText'] {
    return this.#bodyText
  }
}

interface DecodeFacts extends ResponseFacts {
  drift?: readonly Drift[]
}

/** The response is not what the endpoint is known to send. */
export class DecodeError extends ResponseError<DecodeFacts> {
  override readonly name: string = 'DecodeError'
  readonly kind = 'decode'
  declare readonly status?: number
  /** What is not as known; only if `strict` is set. */
  declare readonly drift?: readonly Drift[]
}
