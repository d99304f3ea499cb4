import type { ApiPromise } from './core/api-promise.ts'
import type { CallOptions, ClientOptions, DerivedOptions } from './core/options.ts'
import type { RawRequest } from './core/request.ts'
import { type AddAndWait, makeAddAndWait } from './follow-up/add-and-wait.ts'
import { makeWatch, type Watch } from './follow-up/watch.ts'
import { makeMethods, makePool, mergeOptions, type Pool } from './make-client.ts'
import { makeRotateTo, type RotateTo } from './rotate-to.ts'
import type {
  EndpointMethods,
  ServiceAccountsApi,
  ServiceAccountsKeysApi,
  SessionsApi,
  SessionsMessagesApi,
} from './types/index.ts'

/** A client. Every endpoint is a method that takes one flat input and then options. */
export interface Client extends EndpointMethods {
  /** Keys of service accounts. */
  readonly serviceAccounts: ServiceAccountsClient
  /** Sessions of the agent, and what is said in them. */
  readonly sessions: SessionsClient
  /** Sends a request to any path. Gives the JSON of the response, undefined if it is empty. */
  request(input: RawRequest, options?: CallOptions): ApiPromise<unknown>
  /** A client with other options that uses the same connections. To close one closes both. */
  withOptions(options: DerivedOptions): Client
  /** Closes all connections. Calls that are under way fail. */
  close(): Promise<void>
  /** Closes the client at the end of the block: `await using client = createClient()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Keys of service accounts. */
export interface ServiceAccountsClient extends ServiceAccountsApi {
  readonly keys: KeysClient
}

/** Keys of service accounts. */
export interface KeysClient extends ServiceAccountsKeysApi {
  readonly rotateTo: RotateTo
}

/** Sessions of the agent, and what is said in them. */
export interface SessionsClient extends SessionsApi {
  readonly messages: MessagesClient
}

/** The messages of sessions. */
export interface MessagesClient extends SessionsMessagesApi {
  readonly watch: Watch
  readonly addAndWait: AddAndWait
}

/**
 * Makes a client. Opens no connection and throws nothing: mistakes in the options reject the calls.
 *
 * @example
 * const client = createClient()
 * for await (const message of client.sessions.messages.list({ sessionId })) console.log(message.role)
 */
export function createClient(options?: ClientOptions): Client {
  // Callers without types give null for nothing.
  return makeClient(options ?? {}, makePool(options ?? {}))
}

function makeClient(options: ClientOptions, pool: Pool): Client {
  const { methods, request } = makeMethods(options, pool)
  const { sessions, serviceAccounts } = methods
  const watch = makeWatch(sessions.messages)
  const addAndWait = makeAddAndWait(sessions.messages)
  const withOptions = (more: DerivedOptions) => makeClient(mergeOptions(options, more), pool)
  const rotateTo = makeRotateTo(serviceAccounts.keys, (apiKey, callOptions) =>
    withOptions({ apiKey }).organization.limits.getGlobal({}, callOptions),
  )
  const close = async () => pool.transport.close?.()
  return {
    ...methods,
    sessions: { ...sessions, messages: { ...sessions.messages, watch, addAndWait } },
    serviceAccounts: { ...serviceAccounts, keys: { ...serviceAccounts.keys, rotateTo } },
    request,
    withOptions,
    close,
    [Symbol.asyncDispose]: close,
  }
}
