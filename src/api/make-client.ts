import type { Shared } from './core/call.ts'
import { makeMethod } from './core/method.ts'
import { once } from './core/once.ts'
import { isOperation, type OperationTree } from './core/operation.ts'
import type { CallOptions, ClientOptions } from './core/options.ts'
import type { PageList } from './core/page.ts'
import { makeRequest, type RawRequest } from './core/request.ts'
import { makeRetryBudget } from './core/retry.ts'
import { resolveSettings } from './core/settings.ts'
import type { Endpoint, InputArguments, Item, Output } from './endpoints/endpoint.ts'
import type { Api } from './endpoints/index.ts'
import { httpsTransport } from './transports/https.ts'
import { undiciTransport } from './transports/undici.ts'
import type { Drift } from './validation/decode.ts'

/** What a call gives: the answer, which for a delete may be known only from its repeat. */
export type Result<E extends Endpoint> = E extends { method: 'DELETE' }
  ? Output<E> & { replayed?: true }
  : Output<E>

/** The method of one endpoint: its input, then the options of the call. */
export type ClientMethod<E extends Endpoint> = (
  ...given: [...InputArguments<E>, options?: CallOptions]
) => E extends { page: object } ? PageList<Output<E>, Item<E>> : Promise<Result<E>>

/** The methods of a part of the table, at the same places. */
export type Methods<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Endpoint
    ? ClientMethod<Tree[Name]>
    : Methods<Tree[Name]>
}

/** What every client has, whichever endpoints it knows. */
export interface BaseClient {
  /** Sends a request that the table does not have. Gives the JSON of the answer, undefined if empty. */
  request(input: RawRequest, options?: CallOptions): Promise<unknown>
  /** Closes all connections. Calls that are under way fail. */
  close(): Promise<void>
}

/** A client of some areas. */
export type ClientOf<Area extends keyof Api> = BaseClient & Methods<Pick<Api, Area>>

/** Makes the methods of the areas. What the compiler knows of them comes from the table. */
export function makeClient<Area extends keyof Api>(
  areas: Readonly<Record<Area, OperationTree>>,
  options?: ClientOptions | null,
): ClientOf<Area> {
  const shared = makeShared(options ?? {})
  const methods = walk(areas, shared) as Methods<Pick<Api, Area>>
  return {
    ...methods,
    request: makeRequest(shared),
    close: async () => shared.transport.close?.(),
  }
}

function walk(tree: OperationTree, shared: Shared): object {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      isOperation(node) ? makeMethod(shared, node) : walk(node, shared),
    ]),
  )
}

function makeShared(options: ClientOptions): Shared {
  return {
    options,
    settings: once(() => resolveSettings(options)),
    transport: chooseTransport(options.transport),
    budget: makeRetryBudget(),
    reportDrift: onlyOnce(options.onDrift),
    reportAttempt: options.onAttempt && swallowErrors(options.onAttempt),
    workingPaths: new Map(),
  }
}

function chooseTransport(choice: ClientOptions['transport'] = 'undici') {
  if (choice === 'undici') return undiciTransport()
  return choice === 'https' ? httpsTransport() : choice
}

// A service that puts IDs into field names must not fill the memory.
const MOST_DRIFTS = 10_000

function onlyOnce(onDrift: ClientOptions['onDrift']) {
  const seen = new Set<string>()
  const report = swallowErrors(onDrift)
  return (drift: Drift) => {
    const key = `${drift.endpoint} ${drift.path}`
    if (seen.has(key) || seen.size >= MOST_DRIFTS) return
    seen.add(key)
    report(drift)
  }
}

/** A callback that throws must not turn a call that worked into one that failed. */
function swallowErrors<Value>(callback: ((value: Value) => void) | undefined) {
  return (value: Value) => {
    try {
      callback?.(value)
    } catch {
      // Its owner has no other way to hear of it, and neither do we.
    }
  }
}
