export {
  type AttachmentOptions,
  type FileAttachment,
  fileFromPath,
  type ImageAttachment,
  imageFromPath,
} from './attachments.ts'
export { type Client, createClient } from './client.ts'
export {
  AbortedError,
  ClientError,
  ConfigError,
  DecodeError,
  type ErrorFacts,
  type ErrorKind,
  type InputIssue,
  isClientError,
  NetworkError,
  TimeoutError,
  ValidationError,
} from './core/errors.ts'
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  HttpError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './core/http-errors.ts'
export type { Host, RetryClass } from './core/operation.ts'
export type {
  CallOptions,
  CallReport,
  ClientOptions,
  Credential,
  Limits,
} from './core/options.ts'
export { PageList } from './core/page.ts'
export type { RawRequest } from './core/request.ts'
export {
  type Phase,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './core/transport.ts'
export type { Endpoint, Input, InputArguments, Item, Output } from './endpoints/endpoint.ts'
export type { Api } from './endpoints/index.ts'
export type { AddAndWait, Progress, WaitOptions } from './follow-up/add-and-wait.ts'
export type { BaseClient, ClientMethod, ClientOf, Methods, Result } from './make-client.ts'
export { PartialFailureError, throwIfAnyFailed } from './partial-failure.ts'
export type { Computer } from './schemas/computer.ts'
export type { ContentBlock } from './schemas/content-block.ts'
export type { Message } from './schemas/message.ts'
export type { Open } from './schemas/open.ts'
export type { ReadinessReport } from './schemas/readiness.ts'
export type { Session, TokenUsage } from './schemas/session.ts'
export { httpsTransport } from './transports/https.ts'
export { type UndiciOptions, undiciTransport } from './transports/undici.ts'
export type { Drift } from './validation/decode.ts'
