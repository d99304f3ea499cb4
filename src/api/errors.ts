import { isRecord, withoutUndefined } from './record.ts'
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

/** Facts about a failed call. They may be shown: they contain no credentials and no input values. */
export interface ErrorFacts {
  /** What to do about it. */
  hint?: string
  cause?: unknown
  method?: string
  /** The path with its `{names}`, not with their values. */
  route?: string
  /** How many attempts were made. The last one may have ended before it sent anything. */
  attempts?: number
  elapsedMs?: number
  /** Set if the request may have been carried out although the call failed. */
  outcome?: 'unknown'
}

/** A known field that is missing or has an unexpected type, or an unknown input. */
export interface Drift {
  /** The `id` of the endpoint. */
  endpoint: string
  /** Whether the field is part of the input or of the response. */
  in: 'input' | 'response'
  /** The field, such as `messages[].role`; `[]` stands for any index. */
  path: string
  problem: string
}

/** The same facts; one that is undefined counts as left out. */
type Loose<Facts> = { [Name in keyof Facts]?: Facts[Name] | undefined }

// Unlike `instanceof`, it also works across several copies of this library in a process.
const marker = Symbol.for('hookbell.api.error')

/** Base class of all errors of a client. Users see the union `ClientError`. */
export abstract class BaseClientError<Facts extends ErrorFacts = ErrorFacts>
  extends Error
  implements ErrorFacts
{
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  abstract readonly kind: ErrorKind
  /** What to do about it. */
  declare readonly hint?: string
  /** The HTTP method of the request. */
  declare readonly method?: string
  /** The path with its `{names}`, not with their values. */
  declare readonly route?: string
  /** How many attempts were made. The last one may have ended before it sent anything. */
  declare readonly attempts?: number
  /** How long the call took, with all attempts and pauses, in milliseconds. */
  declare readonly elapsedMs?: number
  /** Set if the request may have been carried out although the call failed. */
  declare readonly outcome?: 'unknown'

  constructor(message: string, { cause, ...facts }: Loose<Facts> = {}) {
    super(message, cause === undefined ? {} : { cause })
    Object.assign(this, withoutUndefined(facts))
  }

  get [marker](): true {
    return true
  }

  /** Everything but the cause and the headers and body of the response. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) }
  }
}

/** Whether an error comes from this library, or from another copy of it. */
export function hasErrorMarker(error: unknown): error is BaseClientError {
  return Object(error)[marker] === true
}

/** The client is not set up: no key, an invalid URL. No request was made, unless `attempts` is set. */
export class ConfigError extends BaseClientError {
  override readonly name: string = 'ConfigError'
  /** Tells the errors apart and narrows the type of a `ClientError`. */
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
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'validation'
  /** The fields that are wrong, each with its problem. */
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

/** No connection could be made, or it ended before the response was complete. */
export class NetworkError extends BaseClientError<NetworkFacts> {
  override readonly name: string = 'NetworkError'
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'network'
  /** What the call was doing. Nothing was sent in the phase `connect`. */
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
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'timeout'
  /** What the call was doing when the time ran out. */
  declare readonly phase: Phase
  /** The option that limits the time. */
  declare readonly limit: 'timeoutMs' | 'deadlineMs'
}

/** The signal of the call was aborted; `cause` is its reason. */
export class AbortedError extends BaseClientError {
  override readonly name: string = 'AbortedError'
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'aborted'
}

/** Facts about a response that an error carries. */
interface ResponseFacts extends ErrorFacts {
  status?: number
  requestId?: string
  bodyText?: string
  headers?: ResponseHeaders
}

/** An error that was caused by a response. */
abstract class ResponseError<
  Facts extends ResponseFacts = ResponseFacts,
> extends BaseClientError<Facts> {
  /** ID of the request, for support. */
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

  /** The response body as received, up to 64 KB; credentials of the client are masked. */
  get bodyText(): Facts['bodyText'] {
    return this.#bodyText
  }
}

interface DecodeFacts extends ResponseFacts {
  drift?: readonly Drift[]
}

/** The response is not JSON, is too long, or differs from the known shape of the endpoint. */
export class DecodeError extends ResponseError<DecodeFacts> {
  override readonly name: string = 'DecodeError'
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'decode'
  /** HTTP status code of the response. */
  declare readonly status?: number
  /** How the response differs from the known shape; only if `strict` is set. */
  declare readonly drift?: readonly Drift[]
}

/** Facts that an error response states. */
interface HttpFacts extends ResponseFacts {
  status: number
  bodyText: string
  /** Title of the status, from the response if it has one. */
  title: string
  detail?: string
  metadata?: Readonly<Record<string, unknown>>
  /** When the service asks to be called again, from `Retry-After`. */
  retryAt?: Date
}

/** The service refused or failed. Statuses without a class of their own use this one. */
export class HttpError extends ResponseError<HttpFacts> {
  override readonly name: string = 'HttpError'
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'http'
  /** HTTP status code of the response. */
  declare readonly status: number
  /** Title of the status, from the response if it has one. */
  declare readonly title: string
  /** What the service says about the error. */
  declare readonly detail?: string
  /** What the service says about the error for programs. */
  declare readonly metadata?: Readonly<Record<string, unknown>>
  /** When the service asks to be called again, from `Retry-After`. */
  declare readonly retryAt?: Date
}
/** 400: the service does not accept the input. */
export class BadRequestError extends HttpError {
  override readonly name = 'BadRequestError'
}
/** 401: the key is missing, wrong, revoked or expired. */
export class AuthenticationError extends HttpError {
  override readonly name = 'AuthenticationError'
}
/** 403: the key may not do this. */
export class PermissionError extends HttpError {
  override readonly name = 'PermissionError'
}
/** 404: the resource does not exist, or the key may not see it. */
export class NotFoundError extends HttpError {
  override readonly name = 'NotFoundError'
}
/** 409: the request conflicts with the current state. */
export class ConflictError extends HttpError {
  override readonly name = 'ConflictError'
}
/** 429: too many requests. */
export class RateLimitError extends HttpError {
  override readonly name = 'RateLimitError'
}
/** 5xx: the service, or something in front of it, failed. */
export class ServerError extends HttpError {
  override readonly name = 'ServerError'
}

const classes: Readonly<Record<number, typeof HttpError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
}

/** The class that belongs to a status. */
export function httpErrorOf(status: number): typeof HttpError {
  return classes[status] ?? (status >= 500 ? ServerError : HttpError)
}

/** The response of `organization.limits.setUsers`, without the fields that this version does not know. */
interface PartialResult {
  updated: { email: string; limit: number | null }[]
  errors: { email: string; error: string }[]
}

/** Some user limits were refused; the others were set. */
export class PartialFailureError extends BaseClientError {
  override readonly name = 'PartialFailureError'
  /** Tells the errors apart and narrows the type of a `ClientError`. */
  readonly kind = 'partial'
  /** Limits that were set. */
  readonly updated: PartialResult['updated']
  /** Entries that were refused, each with its reason. */
  readonly errors: PartialResult['errors']

  constructor({ updated, errors }: PartialResult) {
    const lines = errors.map((entry) =>
      isRecord(entry) ? `${entry.email}: ${entry.error}` : String(entry),
    )
    super(
      `${errors.length} of ${errors.length + updated.length} limits not set: ${lines.join('; ')}`,
    )
    this.updated = updated
    this.errors = errors
  }
}

/**
 * Returns the response of `organization.limits.setUsers` if every limit was set.
 * @throws {PartialFailureError} with what was set and what was not
 */
export function throwIfAnyFailed<Response extends PartialResult>(response: Response): Response {
  // Responses are passed on even if they differ from the known shape.
  const { errors, updated } = Object(response)
  if (Array.isArray(errors) && errors.length > 0)
    throw new PartialFailureError({ errors, updated: Array.isArray(updated) ? updated : [] })
  return response
}

/** Every error that a client rejects with. `kind` tells them apart and narrows the type. */
export type ClientError =
  | ConfigError
  | ValidationError
  | NetworkError
  | TimeoutError
  | AbortedError
  | HttpError
  | DecodeError
  | PartialFailureError

/** Tells the errors of a client from others, also when two copies of this library are loaded. */
export const isClientError = hasErrorMarker as (error: unknown) => error is ClientError
