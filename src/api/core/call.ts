import { ConfigError, type Drift } from '../errors.ts'
import { now } from '../timers.ts'
import type { Transport } from '../transport.ts'
import type { Call, Target } from './attempt.ts'
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
  /** Alternate paths that worked where the usual ones were not found, by endpoint `id`. */
  workingPaths: Map<string, string>
}

/** A call that ended with a response. */
export interface Answered {
  call: Call
  outcome: Outcome
  isStrict: boolean
}

const APP_URL_HINT =
  'set HOOKBELL_APP_BASE_URL or pass appUrl: readiness reports are at the application'

let callCount = 0

/**
 * Sends a request and returns its response.
 * @throws {ClientError} if there is no response, or it is not a success
 */
export async function perform(
  shared: Shared,
  target: Target,
  own: CallOptions | null,
  startedAt = now(),
): Promise<Answered> {
  const options = own ?? noOptions
  const settings = shared.settings()
  const limits = resolveLimits(target.place, settings.limits, options)
  callCount += 1
  const call = makeCall(callCount, target, settings, limits, options.signal)
  const { id: callId, secrets } = call
  const { method, route } = target
  const { transport, budget, reportAttempt, options: hooks } = shared
  const deps = {
    transport,
    budget,
    hooks,
    async authorize() {
      const key = await nextKey(settings)
      if (!secrets.includes(key)) secrets.push(key)
      return `Bearer ${key}`
    },
    onAttempt:
      reportAttempt &&
      ((report: AttemptReport) => {
        // The service chooses the request ID, and may echo the key in it.
        if (report.requestId) report.requestId = redact(report.requestId, secrets)
        reportAttempt({ callId, method, route, ...report })
      }),
  }
  const outcome = await send(call, deps, startedAt)
  const { last, isReplay } = outcome
  if (last.failure && !isReplay) throw toError(call, outcome, last)
  return { call, outcome, isStrict: limits.strict }
}

function makeCall(
  id: number,
  target: Target,
  settings: Settings,
  limits: Settings['limits'],
  signal: AbortSignal | undefined,
): Call {
  const url = settings.hosts[target.host]
  // With a custom baseUrl, the key must not go to the public application, which nobody asked for.
  if (!url) throw new ConfigError('appUrl: is not set, though baseUrl is', { hint: APP_URL_HINT })
  const { method, path, body } = target
  const { maxResponseBytes, headers: given } = limits
  const headers = body === undefined ? given : { ...given, 'content-type': 'application/json' }
  const { origin, prefix } = url
  const request = { method, origin, path: prefix + path, headers, body, maxResponseBytes }
  const { keySource } = settings
  return { id, target, limits, request, keySource, secrets: [], signal }
}
