import type { Phase } from './transport.ts'

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

// Shared by every copy of this library in a process, unlike `instanceof`.
const marker = Symbol.for('hookbell.api.error')

/** What the errors of a client have in common. Users see the union `ClientError`. */
export abstract class BaseClientError extends Error implements ErrorFacts {
  abstract readonly kind: ErrorKind
  declare readonly hint?: string
  declare readonly method?: string
  declare readonly route?: string
  declare readonly attempts?: number
  declare readonly elapsedMs?: number
  declare readonly outcome?: 'unknown'

  constructor(message: string, facts: ErrorFacts = {}) {
    const { cause, ...shown } = facts
    super(message, cause === undefined ? {} : { cause })
    Object.assign(this, definedOnly(shown))
  }

  get [marker](): true {
    return true
  }

  /** All but the body text and the cause. */
  toJSON(): Record<string, unknown> {
    return Object.fromEntries([['message', this.message], ...Object.entries(this)])
  }
}

/** Whether an error was made here, or by another copy of this library. */
export function hasErrorMarker(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, marker) === true
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

  constructor(subject: string, issues: readonly InputIssue[], facts: ErrorFacts = {}) {
    const lines = issues.map(({ field, problem }) => `${field}: ${problem}`)
    super(`${subject}: ${lines.join('; ')}`, facts)
    this.issues = issues
  }
}

/** There is no connection, or it ended before the answer did. */
export class NetworkError extends BaseClientError {
  override readonly name: string = 'NetworkError'
  readonly kind = 'network'
  declare readonly phase: Phase
  /** The code of the system or the TLS library, such as `ECONNREFUSED`. */
  declare readonly code?: string

  constructor(message: string, facts: ErrorFacts & { phase: Phase; code: string | undefined }) {
    super(message, facts)
  }
}

/** The time for one attempt (`timeoutMs`) or for the whole call (`deadlineMs`) ran out. */
export class TimeoutError extends BaseClientError {
  override readonly name: string = 'TimeoutError'
  readonly kind = 'timeout'
  declare readonly phase: Phase
  declare readonly limit: 'timeoutMs' | 'deadlineMs'

  constructor(
    message: string,
    facts: ErrorFacts & { phase: Phase; limit: 'timeoutMs' | 'deadlineMs' },
  ) {
    super(message, facts)
  }
}

/** The signal of the call was aborted; `cause` is its reason. */
export class AbortedError extends BaseClientError {
  override readonly name: string = 'AbortedError'
  readonly kind = 'aborted'
}

interface DecodeFacts {
  status?: number
  requestId?: string
  drift?: readonly Drift[]
  bodyText?: string
}

/** The response is not what the endpoint is known to send. */
export class DecodeError extends BaseClientError {
  override readonly name: string = 'DecodeError'
  readonly kind = 'decode'
  declare readonly status?: number
  declare readonly requestId?: string
  /** What is not as known; only if `strict` is set. */
  declare readonly drift?: readonly Drift[]
  // Private, so that no log prints it: the body may hold a key that is shown only once.
  readonly #bodyText: string | undefined

  constructor(message: string, facts: ErrorFacts & DecodeFacts = {}) {
    const { bodyText, ...shown } = facts
    super(message, shown)
    this.#bodyText = bodyText
  }

  /** The response body as it came, up to 64 KB. */
  get bodyText(): string | undefined {
    return this.#bodyText
  }
}

function definedOnly(facts: object) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
