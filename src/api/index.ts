// The public names. What is not listed here is not public.
export {
  type AttachmentOptions,
  type FileAttachment,
  fileFromPath,
  type ImageAttachment,
  imageFromPath,
} from './attachments.ts'
export {
  type Client,
  createClient,
  type KeysClient,
  type MessagesClient,
  type ServiceAccountsClient,
  type SessionsClient,
} from './client.ts'
export { type ClientError, isClientError } from './client-error.ts'
export type { ApiPromise, ResponseInfo, WithResponse } from './core/api-promise.ts'
export type {
  CallOptions,
  CallReport,
  ClientOptions,
  Credential,
  DerivedOptions,
  HookHeaders,
  IncomingResponse,
  Limits,
  OutgoingRequest,
} from './core/options.ts'
export { PageList } from './core/page.ts'
export type { RawRequest } from './core/request.ts'
export {
  AbortedError,
  ConfigError,
  DecodeError,
  type Drift,
  type ErrorFacts,
  type ErrorKind,
  type InputIssue,
  NetworkError,
  TimeoutError,
  ValidationError,
} from './errors.ts'
export { fieldOf } from './field-of.ts'
export type { AddAndWait, Progress, WaitOptions } from './follow-up/add-and-wait.ts'
export { textOf } from './follow-up/text-of.ts'
export type { Watch, WatchInput } from './follow-up/watch.ts'
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  HttpError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './http-errors.ts'
export type { Host, RetryClass } from './operation.ts'
export { PartialFailureError, throwIfAnyFailed } from './partial-failure.ts'
export type { RotatedKey, RotateTo } from './rotate-to.ts'
export {
  type Phase,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
export { type FetchOptions, fetchTransport } from './transports/fetch.ts'
export { httpsTransport } from './transports/https.ts'
export { type UndiciOptions, undiciTransport } from './transports/undici.ts'
export type * from './types/index.ts'
