import { ConfigError } from '../errors.ts'
import { now } from '../timers.ts'
import type { Call, SentRequest, Shared, Target } from './attempt.ts'
import { toError } from './failure.ts'
import type { CallOptions } from './options.ts'
import { type Outcome, send } from './send.ts'
import { resolveLimits, type Settings } from './settings.ts'

/** A call that ended with a response. */
export interface Answered {
  call: Call
  outcome: Outcome
}

const APP_URL_HINT = 'set HOOKBELL_APP_BASE_URL or pass appUrl, for readiness reports'

let callCount = 0

/**
 * Sends a request and returns its response.
 * @throws {ClientError} if there is no response, or it is not a success
 */
export async function perform(
  shared: Shared,
  target: Target,
  options: CallOptions,
  isStreamed: () => boolean,
  startedAt = now(),
): Promise<Answered> {
  const settings = shared.settings()
  const limits = resolveLimits(target.place, settings.limits, options)
  const { signal } = options
  const request = { ...requestOf(target, settings, limits), isStreamed }
  callCount += 1
  const call = { id: callCount, shared, settings, target, limits, request, secrets: [], signal }
  const outcome = await send(call, startedAt)
  const { last, isReplay } = outcome
  if (last.failure && !isReplay) throw toError(call, outcome.facts, last)
  return { call, outcome }
}

function requestOf(target: Target, settings: Settings, limits: Settings['limits']): SentRequest {
  const url = settings.hosts[target.host]
  // With a custom baseUrl, the key must not go to the public application, which nobody asked for.
  if (!url) throw new ConfigError('appUrl: is not set, though baseUrl is', { hint: APP_URL_HINT })
  const { method, body } = target
  // Without the slash, a path would continue the name of the host.
  const path = target.path.replace(/^\/?/, '/')
  const { maxResponseBytes, headers: given } = limits
  const headers = body === undefined ? given : { ...given, 'content-type': 'application/json' }
  const { origin, prefix } = url
  return { method, origin, path: prefix + path, headers, body, maxResponseBytes }
}
