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
import { type Outcome, outcomeOf } from './send.ts'
import { toHttpError } from './to-http-error.ts'

const doing: Record<Phase, string> = {
  credentials: 'waiting for the credentials',
  connect: 'connecting',
  headers: 'waiting for the response',
  body: 'reading the response',
  wait: 'waiting before a retry',
}

/** What every error of this call tells. */
export function factsOf({ method, route }: Call, outcome: Outcome): ErrorFacts {
  const { attempts, elapsedMs, mayBeApplied, budgetSpent } = outcome
  return {
    method,
    route,
    attempts,
    elapsedMs,
    ...outcomeOf(method, mayBeApplied),
    ...(budgetSpent && { hint: 'many requests are failing, so this one was not retried' }),
  }
}

/** The error for a call without a response, or with one that is no success. */
export function toError(call: Call, outcome: Outcome): BaseClientError {
  const { last } = outcome
  if (!last.failure) throw new TypeError('the call did not fail')
  const { failure, received } = last
  const { secrets, hints, keySource } = call
  const facts = factsOf(call, outcome)
  if (failure.kind === 'http') {
    const { status, retryAfterMs } = failure
    const hint = hints[status] ?? (status === 401 ? `check the key in ${keySource}` : undefined)
    const { headers = {}, text = '' } = received ?? {}
    const response = { status, headers, text, retryAfterMs }
    return toHttpError(response, hint ? { ...facts, hint } : facts, secrets, Date.now())
  }
  const { phase } = failure
  const message = (problem: string) =>
    `${call.method} ${call.route}: ${problem} while ${doing[phase]}`
  if (failure.kind === 'aborted')
    return new AbortedError(message('aborted'), { ...facts, cause: failure.reason })
  if (failure.kind === 'network') return networkError(message, failure, facts, secrets)
  const { limit } = failure
  const problem = `no response within ${call[limit]} ms (${limit}),`
  return new TimeoutError(message(problem), { ...facts, phase, limit })
}

function networkError(
  message: (problem: string) => string,
  { phase, cause }: { phase: Phase; cause: unknown },
  facts: ErrorFacts,
  secrets: Iterable<string>,
) {
  const code = codeOf(cause)
  // The messages of OpenSSL end with a line break.
  const said = (cause instanceof Error && cause.message.trim()) || code || 'failed'
  return new NetworkError(message(`${redact(said, secrets)},`), {
    hint: phase === 'connect' ? connectHint(code) : undefined,
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
