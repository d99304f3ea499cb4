import { type AddAndWait, makeAddAndWait } from './add-and-wait.ts'
import type { Shared } from './core/call.ts'
import type { Drift } from './core/decode.ts'
import type { Endpoint, InputArguments, Item, Output } from './core/endpoint.ts'
import { makeMethod } from './core/method.ts'
import { once } from './core/once.ts'
import type { CallOptions, ClientOptions } from './core/options.ts'
import type { PageList } from './core/page.ts'
import { makeRequest, type RawRequest } from './core/request.ts'
import { makeRetryBudget } from './core/retry.ts'
import { resolveSettings } from './core/settings.ts'
import { type Api, api, type EndpointTree, isEndpoint } from './endpoints/index.ts'
import { httpsTransport } from './transports/https.ts'
import { undiciTransport } from './transports/undici.ts'

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

/** A client. Every endpoint of the table is a method that takes one flat input and then options. */
export interface Client extends Methods<Api> {
  readonly sessions: Methods<Api>['sessions'] & {
    readonly messages: { readonly addAndWait: AddAndWait }
  }
  /** Sends a request that the table does not have. Gives the JSON of the answer, undefined if empty. */
  request(input: RawRequest, options?: CallOptions): Promise<unknown>
  /** Closes all connections. Calls that are under way fail. */
  close(): Promise<void>
}

/**
 * Makes a client. Opens no connection and throws nothing: mistakes in the options reject the calls.
 *
 * @example
 * const client = createClient()
 * for await (const message of client.sessions.messages.list({ sessionId })) console.log(message.role)
 */
export function createClient(options: ClientOptions = {}): Client {
  const shared = makeShared(options)
  const methods = walk(api, shared) as Methods<Api>
  const addAndWait = makeAddAndWait(methods.sessions.messages)
  const { sessions } = methods
  return {
    ...methods,
    sessions: { ...sessions, messages: { ...sessions.messages, addAndWait } },
    request: makeRequest(shared),
    close: async () => shared.transport.close?.(),
  }
}

function walk(tree: EndpointTree, shared: Shared): object {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [
      name,
      isEndpoint(node) ? makeMethod(shared, node) : walk(node, shared),
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
    reportAttempt: options.onAttempt && unfailing(options.onAttempt),
    movedPaths: new Map(),
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
  const report = unfailing(onDrift)
  return (drift: Drift) => {
    const key = `${drift.endpoint} ${drift.path}`
    if (seen.has(key) || seen.size >= MOST_DRIFTS) return
    seen.add(key)
    report(drift)
  }
}

/** A callback that throws must not turn a call that worked into one that failed. */
function unfailing<Value>(callback: ((value: Value) => void) | undefined) {
  return (value: Value) => {
    try {
      callback?.(value)
    } catch {
      // Its owner has no other way to hear of it, and neither do we.
    }
  }
}
