import type { Call } from './attempt.ts'
import type { Drift } from './decode.ts'
import type { Host, RetryClass } from './endpoint.ts'
import { type Context, toError } from './failure.ts'
import type { CallOptions, CallReport, ClientOptions } from './options.ts'
import type { RetryBudget } from './retry.ts'
import { type AttemptReport, type Outcome, send } from './send.ts'
import { authorize, resolveLimits, type Settings } from './settings.ts'
import type { Transport } from './transport.ts'

/** What all calls of a client share. */
export interface Shared {
  options: ClientOptions
  /** Throws a `ConfigError` if the client is not set up. */
  settings(): Settings
  transport: Transport
  budget: RetryBudget
  reportDrift(drift: Drift): void
  reportAttempt(report: CallReport): void
  /** Paths that answered where those of the table did not, by endpoint `id`. */
  movedPaths: Map<string, string>
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
  goneIsDone: boolean
  hints: Readonly<Record<number, string>>
}

/** A call that ended with an answer. */
export interface Answered {
  call: Call
  context: Context
  outcome: Outcome
  isStrict: boolean
}

/**
 * Sends a request and gives back its answer.
 * @throws {ClientError} if there is none, or it is no success
 */
export async function perform(shared: Shared, target: Target, options: CallOptions) {
  const settings = shared.settings()
  const limits = resolveLimits(target.id, settings.limits, options)
  const secrets = new Set<string>()
  const hints = { 401: `check the key that ${settings.keySource} gives`, ...target.hints }
  const context: Context = { route: target.route, hints, secrets }
  const call = makeCall(target, settings, limits, options.signal)
  const outcome = await send(call, {
    transport: shared.transport,
    budget: shared.budget,
    async authorize() {
      const key = await authorize(settings)
      secrets.add(key)
      return `Bearer ${key}`
    },
    onAttempt: (report: AttemptReport) =>
      shared.reportAttempt({ method: target.method, route: target.route, ...report }),
  })
  if (outcome.last.kind === 'failed' && !outcome.isReplay) throw toError(call, context, outcome)
  const answered: Answered = { call, context, outcome, isStrict: limits.strict }
  return answered
}

function makeCall(
  target: Target,
  settings: Settings,
  limits: Settings['limits'],
  signal: AbortSignal | undefined,
): Call {
  const { method, host, path, body, retry, goneIsDone } = target
  const { origin, prefix } = settings.hosts[host]
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': 'hookbell',
    ...limits.headers,
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const { timeoutMs, deadlineMs, retries, maxResponseBytes } = limits
  return {
    method,
    origin,
    path: prefix + path,
    headers,
    body,
    retry,
    goneIsDone,
    signal,
    timeoutMs,
    deadlineMs,
    retries,
    maxResponseBytes,
  }
}
