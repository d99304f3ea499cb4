import { ConfigError, type Drift } from '../errors.ts'
import type { Host, RetryClass } from '../operation.ts'
import { now } from '../timers.ts'
import type { Transport } from '../transport.ts'
import type { ResponseInfo } from './api-promise.ts'
import type { Call } from './attempt.ts'
import type { AttemptReport } from './attempt-report.ts'
import { type Context, toError } from './failure.ts'
import { type CallOptions, type CallReport, type ClientOptions, noOptions } from './options.ts'
import { redact } from './redact.ts'
import type { RetryBudget } from './retry.ts'
import { type Outcome, send } from './send.ts'
import { nextKey, resolveLimits, type Settings } from './settings.ts'
import { requestIdOf } from './to-http-error.ts'

/** What all calls of a client share. */
export interface Shared {
  options: ClientOptions
  /** Throws a `ConfigError` if the client is not set up. */
  settings(): Settings
  transport: Transport
  budget: RetryBudget
  reportDrift(drift: Drift): void
  reportAttempt: ((report: CallReport) => void) | undefined
  /** Paths that worked where those of the table did not, by endpoint `id`. */
  workingPaths: Map<string, string>
}

/** One request, apart from what the client knows. */
export interface Target {
  /** Names the call in errors about its input. */
  id: string
  method: string
  /** The path with its `{names}`. */
  route: string
  host: Host
  path: string
  body: string | undefined
  retry: RetryClass
  treat404AsDeleted: boolean
  hints: Readonly<Record<number, string>>
}

/** A call that ended with a response. */
export interface Answered {
  call: Call
  context: Context
  outcome: Outcome
  isStrict: boolean
}

let callCount = 0

/**
 * Sends a request and gives back its response.
 * @throws {ClientError} if there is none, or it is no success
 */
export async function perform(
  shared: Shared,
  target: Target,
  given: CallOptions | null,
  startedAt = now(),
) {
  const options = given ?? noOptions
  const settings = shared.settings()
  const limits = resolveLimits(target.id, settings.limits, options)
  const { route, method } = target
  const secrets: string[] = []
  const hint = (status: number) =>
    target.hints[status] ?? (status === 401 ? `check the key in ${settings.keySource}` : undefined)
  const context: Context = { route, hint, secrets }
  callCount += 1
  const callId = callCount
  const call = makeCall(callId, target, settings, limits, options.signal)
  const header = (key: string) => {
    if (!secrets.includes(key)) secrets.push(key)
    return `Bearer ${key}`
  }
  const { transport, budget, reportAttempt } = shared
  const { beforeRequest, afterResponse } = shared.options
  const deps = {
    transport,
    budget,
    beforeRequest,
    afterResponse,
    authorize() {
      const key = nextKey(settings)
      return typeof key === 'string' ? header(key) : key.then(header)
    },
    onAttempt:
      reportAttempt &&
      ((report: AttemptReport) => {
        const { requestId, ...rest } = report
        // The service chooses it, and may repeat the key in it.
        const id = requestId === undefined ? {} : { requestId: redact(requestId, secrets) }
        reportAttempt({ callId, method, route, ...rest, ...id })
      }),
  }
  const outcome = await send(call, deps, startedAt)
  if (outcome.last.kind === 'failed' && !outcome.isReplay) throw toError(call, context, outcome)
  const answered: Answered = { call, context, outcome, isStrict: limits.strict }
  return answered
}

/** Status, headers and request ID of the response of a call. */
export function infoOf({ outcome }: Answered): ResponseInfo {
  const { last, attempts, elapsedMs } = outcome
  const received = last.kind === 'answered' ? last.received : last.refusal
  const { status = 0, headers = {} } = received ?? {}
  return { status, headers, requestId: requestIdOf(headers), attempts, elapsedMs }
}

function makeCall(
  id: number,
  target: Target,
  settings: Settings,
  limits: Settings['limits'],
  signal: AbortSignal | undefined,
): Call {
  const { method, host, path, body, retry, treat404AsDeleted } = target
  const url = settings.hosts[host]
  if (!url) throw noAppUrl()
  const { timeoutMs, deadlineMs, retries, maxResponseBytes, headers } = limits
  return {
    id,
    method,
    origin: url.origin,
    path: url.prefix + path,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body,
    retry,
    treat404AsDeleted,
    signal,
    timeoutMs,
    deadlineMs,
    retries,
    maxResponseBytes,
  }
}

/** The key for one service must not go to another that nobody named. */
function noAppUrl() {
  return new ConfigError('appUrl: is not set, though baseUrl is', {
    hint: 'set HOOKBELL_APP_BASE_URL or pass appUrl: readiness reports are at the application',
  })
}
