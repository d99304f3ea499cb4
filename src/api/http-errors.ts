import { ResponseError, type ResponseFacts } from './errors.ts'

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
  readonly kind = 'http'
  declare readonly status: number
  declare readonly title: string
  declare readonly detail?: string
  declare readonly metadata?: Readonly<Record<string, unknown>>
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
