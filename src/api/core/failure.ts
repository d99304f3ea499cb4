import {
  AbortedError,
  type BaseClientError,
  type ErrorFacts,
  NetworkError,
  TimeoutError,
} from '../errors.ts'
import type { Phase } from '../transport.ts'
import { type Call, codeOf } from './attempt.ts'
import { redact, redactCause } from './redact.ts'
import type { Outcome } from './send.ts'
import { toHttpError } from './to-http-error.ts'

/** Which call it was, and what helps when it fails. */
export interface Context {
  /** The path with its `{names}`. */
  route: string
  hint(status: number): string | undefined
  secrets: Iterable<string>
}

const doing: Record<Phase, string> = {
  credentials: 'waiting for the credentials',
  connect: 'connecting',
  headers: 'waiting for the response',
  body: 'reading the response',
  wait: 'waiting before a retry',
}

/** What every error of this call tells. */
export function factsOf(call: Call, context: Context, outcome: Outcome): ErrorFacts {
  const { attempts, elapsedMs, mayBeApplied } = outcome
  return {
    method: call.method,
    route: context.route,
    attempts,
    elapsedMs,
    ...(mayBeApplied && call.method !== 'GET' && call.method !== 'HEAD'
      ? { outcome: 'unknown' }
      : {}),
    ...(outcome.budgetSpent
      ? { hint: 'many requests are failing, so this one was not retried' }
      : {}),
  }
}

/** The error for a call without a response, or with one that is no success. */
export function toError(call: Call, context: Context, outcome: Outcome): BaseClientError {
  const { last } = outcome
  if (last.kind === 'answered') throw new TypeError('the call did not fail')
  const facts = factsOf(call, context, outcome)
  const place = `${call.method} ${context.route}`
  const { failure } = last
  if (failure.kind === 'aborted')
    return new AbortedError(`${place}: aborted while ${doing[failure.phase]}`, {
      ...facts,
      cause: failure.reason,
    })
  if (failure.kind === 'timeout') return timeoutError(place, call, failure, facts)
  if (failure.kind === 'network') return networkError(place, failure, facts, context.secrets)
  const { status, retryAfterMs } = failure
  const { headers, text } = last.refusal ?? { headers: {}, text: '' }
  const hint = context.hint(status)
  const known = hint === undefined ? facts : { ...facts, hint }
  return toHttpError({ status, headers, text, retryAfterMs }, known, context.secrets, Date.now())
}

function timeoutError(
  place: string,
  call: Call,
  { phase, limit }: { phase: Phase; limit: 'timeoutMs' | 'deadlineMs' },
  facts: ErrorFacts,
) {
  const message = `${place}: no response within ${call[limit]} ms (${limit}), while ${doing[phase]}`
  return new TimeoutError(message, { ...facts, phase, limit })
}

function networkError(
  place: string,
  { phase, cause }: { phase: Phase; cause: unknown },
  facts: ErrorFacts,
  secrets: Iterable<string>,
) {
  const code = codeOf(cause)
  // The messages of OpenSSL end with a line break.
  const said = (cause instanceof Error && cause.message.trim()) || code || 'failed'
  return new NetworkError(`${place}: ${redact(said, secrets)}, while ${doing[phase]}`, {
    ...(phase === 'connect' ? { hint: connectHint(code) } : {}),
    ...facts,
    cause: redactCause(cause, secrets),
    phase,
    code,
  })
}

function connectHint(code = '') {
  if (code === 'ERR_CLOSED') return 'make a new client'
  return /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
    ? 'to trust it, use NODE_EXTRA_CA_CERTS'
    : 'check the URL, the network and the proxy settings'
}
