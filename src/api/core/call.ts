import { ConfigError, type Drift } from '../errors.ts'
import type { Host, RetryClass } from '../operation.ts'
import { now } from '../timers.ts'
import type { Transport } from '../transport.ts'
import type { Call } from './attempt.ts'
import type { AttemptReport } from './attempt-report.ts'
import { toError } from './failure.ts'
import { type CallOptions, type CallReport, type ClientOptions, noOptions } from './options.ts'
import { redact } from './redact.ts'
import type { RetryBudget } from './retry.ts'
import { type Outcome, send } from './send.ts'
import { nextKey, resolveLimits, type Settings } from './settings.ts'

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
  place: string
  method: string
  /** The path with its `{names}`. */
  route: string
  host: Host
  path: string
  body: string | undefined
  retry: RetryClass
  hints: Readonly<Record<number, string>>
}

/** A call that ended with a response. */
export interface Answered {
  call: Call
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
  own: CallOptions | null,
  startedAt = now(),
) {
  const options = own ?? noOptions
  const settings = shared.settings()
  const limits = resolveLimits(target.place, settings.limits, options)
  callCount += 1
  const call = makeCall(callCount, target, settings, limits, options.signal)
  const { id: callId, method, route, secrets } = call
  const header = (key: string) => {
    if (!secrets.includes(key)) secrets.push(key)
    return `Bearer ${key}`
  }
  const { transport, budget, reportAttempt, options: given } = shared
  const deps = {
    transport,
    budget,
    beforeRequest: given.beforeRequest,
    afterResponse: given.afterResponse,
    authorize() {
      const key = nextKey(settings)
      return typeof key === 'string' ? header(key) : key.then(header)
    },
    onAttempt:
      reportAttempt &&
      ((report: AttemptReport) => {
        // The service chooses it, and may repeat the key in it.
        if (report.requestId) report.requestId = redact(report.requestId, secrets)
        reportAttempt({ callId, method, route, ...report })
      }),
  }
  const outcome = await send(call, deps, startedAt)
  if (outcome.last.failure && !outcome.isReplay) throw toError(call, outcome)
  const answered: Answered = { call, outcome, isStrict: limits.strict }
  return answered
}

function makeCall(
  id: number,
  target: Target,
  settings: Settings,
  limits: Settings['limits'],
  signal: AbortSignal | undefined,
): Call {
  const url = settings.hosts[target.host]
  if (!url) throw noAppUrl()
  const { method, route, hints, path, body, retry } = target
  const { timeoutMs, deadlineMs, retries, maxResponseBytes, headers } = limits
  // Spelled out: to spread two objects takes a tenth of a fast request.
  return {
    id,
    method,
    route,
    hints,
    origin: url.origin,
    path: url.prefix + path,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body,
    retry,
    signal,
    timeoutMs,
    deadlineMs,
    retries,
    maxResponseBytes,
    keySource: settings.keySource,
    secrets: [],
  }
}

/** The key for one service must not go to another that nobody named. */
function noAppUrl() {
  return new ConfigError('appUrl: is not set, though baseUrl is', {
    hint: 'set HOOKBELL_APP_BASE_URL or pass appUrl: readiness reports are at the application',
  })
}
