import type { Shared } from './core/attempt.ts'
import { Pauses } from './core/clock.ts'
import { makeMethod } from './core/method.ts'
import type { CallReport, ClientOptions, DerivedOptions } from './core/options.ts'
import { makeRequest } from './core/request.ts'
import { makeRetryBudget } from './core/retry.ts'
import { resolveSettings } from './core/settings.ts'
import type { Drift } from './errors.ts'
import { completeOperation, isOperation, type OperationTree } from './operation.ts'
import { operations } from './operations.ts'
import { httpsTransport, isUndiciUsable, undiciTransport } from './platform.ts'
import { mapFields, once, swallowErrors, variablesOf, withoutUndefined } from './record.ts'
import { areTimersFaked } from './timers.ts'
import type { Transport } from './transport.ts'
import { fetchTransport } from './transports/fetch.ts'
import type { EndpointMethods } from './types.ts'

/** What a client shares with the clients that are derived from it. */
export type Pool = Pick<Shared, 'transport' | 'pauses' | 'budget' | 'workingPaths'>

/** The methods of a client, and its `request` for any other path. */
export function makeMethods(options: ClientOptions, pool: Pool) {
  const shared: Shared = {
    ...pool,
    options,
    settings: once(() => resolveSettings(options)),
    reportDrift: onlyOnce(options.onDrift),
    reportAttempt: both(logAttempts(options), options.onAttempt),
  }
  // The types are generated from the same table as the operations.
  const methods = walk(operations, shared) as EndpointMethods
  return { methods, request: makeRequest(shared) }
}

/** Makes the connections, the pauses, the retry budget and the memory of alternate paths that worked. */
export function makePool({ transport }: ClientOptions): Pool {
  return {
    transport: chooseTransport(transport),
    pauses: new Pauses(),
    budget: makeRetryBudget(),
    workingPaths: new Map(),
  }
}

/** The options of a derived client: options that are left out keep their value. */
export function mergeOptions(options: ClientOptions, more: DerivedOptions): ClientOptions {
  const merged: ClientOptions = { ...options, ...withoutUndefined(more ?? {}) }
  if (more?.headers) merged.headers = { ...options.headers, ...more.headers }
  return merged
}

function walk(tree: OperationTree, shared: Shared, before = ''): object {
  return mapFields(tree, ([name, node]) => {
    const id = before + name
    return [
      name,
      isOperation(node)
        ? makeMethod(
            shared,
            node[3]?.page,
            once(() => completeOperation(id, node)),
          )
        : walk(node, shared, `${id}.`),
    ]
  })
}

function chooseTransport(
  choice: ClientOptions['transport'] = isUndiciUsable() ? 'undici' : 'fetch',
) {
  if (choice === 'undici') return undiciOrHttps()
  if (choice === 'fetch') return fetchTransport()
  return choice === 'https' ? httpsTransport() : choice
}

/** undici needs `setImmediate` to reuse a connection: while a test fakes it, undici would hang, so https is used. */
function undiciOrHttps(): Transport {
  const [undici, https] = [undiciTransport(), httpsTransport()]
  return {
    send: (request) => (areTimersFaked() ? https : undici).send(request),
    async close() {
      await Promise.all([undici.close?.(), https.close?.()])
    },
  }
}

// A service that puts IDs into field names must not fill the memory.
const MOST_DRIFTS = 10_000

function onlyOnce(onDrift: ClientOptions['onDrift']) {
  const seen = new Set<string>()
  const report = onDrift && swallowErrors(onDrift)
  return (drift: Drift) => {
    const key = `${drift.endpoint} ${drift.in} ${drift.path}`
    if (!report || seen.has(key) || seen.size >= MOST_DRIFTS) return
    seen.add(key)
    report(drift)
  }
}

/** Undefined without listeners, so that no report has to be made. */
function both(...listeners: (((report: CallReport) => void) | undefined)[]) {
  const heard = listeners.flatMap((one) => (one ? swallowErrors(one) : []))
  if (heard.length === 0) return undefined
  return (report: CallReport) => {
    for (const one of heard) one(report)
  }
}

/** Writes a line for every attempt to stderr if `HOOKBELL_LOG=debug`. It contains no credentials and no data. */
function logAttempts(options: DerivedOptions): ((report: CallReport) => void) | undefined {
  if (variablesOf(options).HOOKBELL_LOG !== 'debug') return undefined
  return (report) => console.error(lineOf(report))
}

function lineOf(report: CallReport): string {
  const { callId, attempt, method, route, status, failure, elapsedMs, requestId, retryInMs } =
    report
  const request = requestId ? `, request ${requestId}` : ''
  const next = retryInMs === undefined ? '' : `, next attempt in ${retryInMs} ms`
  const outcome = `${status ?? failure} in ${elapsedMs} ms${request}${next}`
  return `hookbell api: call ${callId}, attempt ${attempt}: ${method} ${route}: ${outcome}`
}
