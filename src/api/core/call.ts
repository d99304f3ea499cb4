import type { Drift } from '../validation/decode.ts'
import type { Call } from './attempt.ts'
import { type Context, toError } from './failure.ts'
import type { Host, RetryClass } from './operation.ts'
import { type CallOptions, type CallReport, type ClientOptions, noOptions } from './options.ts'
import type { RetryBudget } from './retry.ts'
import { type AttemptReport, type Outcome, send } from './send.ts'
import { nextKey, resolveLimits, type Settings } from './settings.ts'
import type { Transport } from './transport.ts'

/** What all calls of a client share. */
export interface Shared {
  options: ClientOptions
  /** Throws a `ConfigError` if the client is not set up. */
  settings(): Settings
  transport: Transport
  budget: RetryBudget
  reportDrift(drift: Drift): void
  reportAttempt: ((report: CallReport) => void) | undefined
  /** Paths that answered where those of the table did not, by endpoint `id`. */
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
export async function perform(
  shared: Shared,
  target: Target,
  given: CallOptions | null,
  startedAt = performance.now(),
) {
  const options = given ?? noOptions
  const settings = shared.settings()
  const limits = resolveLimits(target.id, settings.limits, options)
  const { route, method } = target
  const secrets: string[] = []
  const hint = (status: number) =>
    target.hints[status] ?? (status === 401 ? keyHint(settings) : undefined)
  const context: Context = { route, hint, secrets }
  const call = makeCall(target, settings, limits, options.signal)
  const header = (key: string) => {
    if (!secrets.includes(key)) secrets.push(key)
    return `Bearer ${key}`
  }
  const { transport, budget, reportAttempt } = shared
  const around = {
    transport,
    budget,
    authorize() {
      const key = nextKey(settings)
      return typeof key === 'string' ? header(key) : key.then(header)
    },
    onAttempt:
      reportAttempt && ((report: AttemptReport) => reportAttempt({ method, route, ...report })),
  }
  const outcome = await send(call, around, startedAt)
  if (outcome.last.kind === 'failed' && !outcome.isReplay) throw toError(call, context, outcome)
  const answered: Answered = { call, context, outcome, isStrict: limits.strict }
  return answered
}

function keyHint({ keySource }: Settings): string {
  return `check the key that ${keySource} gives`
}

function makeCall(
  target: Target,
  settings: Settings,
  limits: Settings['limits'],
  signal: AbortSignal | undefined,
): Call {
  const { method, host, path, body, retry, treat404AsDeleted } = target
  const { origin, prefix } = settings.hosts[host]
  const { timeoutMs, deadlineMs, retries, maxResponseBytes, headers } = limits
  return {
    method,
    origin,
    path: prefix + path,
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
