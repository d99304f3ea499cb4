// The public names. What is not listed here is not public.
export type {
  AttachmentOptions,
  FileAttachment,
  ImageAttachment,
} from './attachments.ts'
export {
  type Client,
  createClient,
  type KeysClient,
  type LimitsClient,
  type MessagesClient,
  type OrganizationClient,
  type RotateTo,
  type ServiceAccountsClient,
  type SessionsClient,
} from './client.ts'
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
export { PageList, type PageOptions } from './core/page.ts'
export type { RawRequest } from './core/request.ts'
export {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  type ClientError,
  ConfigError,
  ConflictError,
  DecodeError,
  type Drift,
  type ErrorFacts,
  type ErrorKind,
  HttpError,
  type InputIssue,
  isClientError,
  NetworkError,
  NotFoundError,
  PartialFailureError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  throwIfAnyFailed,
  ValidationError,
} from './errors.ts'
export type { AddAndWait, Progress, WaitOptions } from './follow-up/add-and-wait.ts'
export { textOf } from './follow-up/turn.ts'
export type { Watch, WatchInput } from './follow-up/watch.ts'
export type { Host, RetryClass } from './operation.ts'
export { fileFromPath, httpsTransport, imageFromPath, undiciTransport } from './platform.ts'
export { fieldOf } from './record.ts'
export type { RotatedKey } from './rotate-to.ts'
export type { SetManyUsers } from './set-many-users.ts'
export {
  type Phase,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
export { type FetchOptions, fetchTransport } from './transports/fetch.ts'
export type { UndiciOptions } from './transports/undici.ts'
export type * from './types.ts'
