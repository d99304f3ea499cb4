import {
  AbortedError,
  type BaseClientError,
  type ErrorFacts,
  NetworkError,
  TimeoutError,
} from '../errors.ts'
import type { Phase } from '../transport.ts'
import { type Attempt, type Call, codeOf, type Received } from './attempt.ts'
import { redactCause } from './redact.ts'
import type { Outcome } from './send.ts'
import { toHttpError } from './to-http-error.ts'

const doing: Record<Phase, string> = {
  credentials: 'waiting for the credentials',
  connect: 'connecting',
  headers: 'waiting for the response',
  body: 'reading the response',
  wait: 'waiting before a retry',
}

/** The error for a call that got no response, or an unsuccessful one. */
export function toError(
  call: Call,
  { facts }: Outcome,
  { failure, received }: Extract<Attempt, { failure: object }>,
): BaseClientError {
  const { secrets, settings, target } = call
  if (failure.kind === 'http') {
    const { status, retryAfterMs } = failure
    const hint =
      target.hints?.[status] ??
      (status === 401 ? `check the key in ${settings.keySource}` : undefined)
    // A status comes with a response.
    const response = { ...(received as Received), retryAfterMs }
    return toHttpError(response, hint ? { ...facts, hint } : facts, secrets)
  }
  const { phase } = failure
  const message = (problem: string) =>
    `${target.method} ${target.route}: ${problem} while ${doing[phase]}`
  if (failure.kind === 'aborted')
    return new AbortedError(message('aborted'), { ...facts, cause: failure.reason })
  if (failure.kind === 'network') return networkError(message, failure, facts, secrets)
  const { limit } = failure
  const problem = `no response within ${call.limits[limit]} ms (${limit}),`
  return new TimeoutError(message(problem), { ...facts, phase, limit })
}

function networkError(
  message: (problem: string) => string,
  { phase, cause: given }: { phase: Phase; cause: unknown },
  facts: ErrorFacts,
  secrets: readonly string[],
) {
  const cause = redactCause(given, secrets)
  const code = codeOf(cause)
  // The messages of OpenSSL end with a line break.
  const said = (cause instanceof Error && cause.message.trim()) || code || 'failed'
  return new NetworkError(message(`${said},`), {
    hint: phase === 'connect' ? connectHint(code) : undefined,
    ...facts,
    cause,
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
