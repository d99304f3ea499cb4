import {
  type AbortedError,
  type ConfigError,
  type DecodeError,
  hasErrorMarker,
  type NetworkError,
  type TimeoutError,
  type ValidationError,
} from './errors.ts'
import type { HttpError } from './http-errors.ts'
import type { PartialFailureError } from './partial-failure.ts'

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
