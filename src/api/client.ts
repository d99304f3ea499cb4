/// <reference lib="esnext.disposable" preserve="true" />

import type { ApiPromise } from './core/api-promise.ts'
import type { CallOptions, ClientOptions, DerivedOptions } from './core/options.ts'
import type { RawRequest } from './core/request.ts'
import { type AddAndWait, makeAddAndWait } from './follow-up/add-and-wait.ts'
import { makeWatch, type Watch } from './follow-up/watch.ts'
import { makeMethods, makePool, mergeOptions, type Pool } from './make-client.ts'
import { makeRotateTo } from './platform.ts'
import type { RotatedKey } from './rotate-to.ts'
import { makeSetManyUsers, type SetManyUsers } from './set-many-users.ts'
import type {
  EndpointMethods,
  OrganizationApi,
  OrganizationLimitsApi,
  RotateKeyInput,
  ServiceAccountsApi,
  ServiceAccountsKeysApi,
  SessionsApi,
  SessionsMessagesApi,
} from './types.ts'

/** A client. Every endpoint is a method that takes one flat input and then options. */
export interface Client extends EndpointMethods {
  /** Keys of service accounts. */
  readonly serviceAccounts: ServiceAccountsClient
  /** Credit limits and users of the organization. */
  readonly organization: OrganizationClient
  /** Sessions of the agent and their messages. */
  readonly sessions: SessionsClient
  /** Sends a request to any path. Resolves to the parsed JSON of the response, undefined if it is empty. */
  request(input: RawRequest, options?: CallOptions): ApiPromise<unknown>
  /** A client with other options that uses the same connections. Closing one closes both. */
  withOptions(options: DerivedOptions): Client
  /** Closes all connections. Calls that are under way fail. */
  close(): Promise<void>
  /** Closes the client at the end of the block: `await using client = createClient()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Keys of service accounts. */
export interface ServiceAccountsClient extends ServiceAccountsApi {
  /** The keys of a service account. */
  readonly keys: KeysClient
}

/** Keys of service accounts. */
export interface KeysClient extends ServiceAccountsKeysApi {
  /**
   * Rotates a key and writes the new one to a file that only its owner can read (0600). The file is opened, and
   * space for the key reserved, before the call; an existing file is replaced once the new key is on the disk.
   * The new key is then tested with one call.
   * @throws {ValidationError} if the file cannot be written, or `FILE.new` of another rotation exists, which may hold
   *   a key; no request was made
   * @throws {DecodeError} if the response has no key that can be read; the response is then in `FILE.new`
   * @throws {ClientError} with a `hint` that names the file, if the new key was saved but could not be used
   */
  readonly rotateTo: RotateTo
}

/** The method `serviceAccounts.keys.rotateTo`. */
export type RotateTo = (
  file: string,
  input: RotateKeyInput,
  options?: CallOptions,
) => Promise<RotatedKey>

/** Credit limits and users of the organization. */
export interface OrganizationClient extends OrganizationApi {
  /** Credit limits of all users, and of single ones. */
  readonly limits: LimitsClient
}

/** Credit limits of all users, and of single ones. */
export interface LimitsClient extends OrganizationLimitsApi {
  /**
   * Sets the credit limits of any number of users, in requests of 100 that follow one another, and joins their responses.
   * If a request fails after others have succeeded, its users and those that were not tried are listed in `errors`.
   * @throws {ClientError} if the first request fails, so that nothing was set
   */
  readonly setManyUsers: SetManyUsers
}

/** Sessions of the agent and their messages. */
export interface SessionsClient extends SessionsApi {
  /** The messages of a session. */
  readonly messages: MessagesClient
}

/** The messages of sessions. */
export interface MessagesClient extends SessionsMessagesApi {
  /**
   * Yields the new and changed messages of a session as they arrive, oldest first. The service cannot push them, so
   * the end of the list is polled. Temporary failures are retried.
   *
   * @example
   * for await (const message of client.sessions.messages.watch({ sessionId, signal }))
   *   console.log(message.role, textOf(message))
   */
  readonly watch: Watch
  /**
   * Adds a user message, waits until the agent is done with it, and returns the new assistant messages, oldest first.
   * Answers to messages that were queued earlier do not count, unless nothing follows for two minutes: then they
   * answer this one as well. If the call fails after the message was added, `hint` says so: do not add it again.
   * @throws {TimeoutError} if the agent takes longer than `deadlineMs`
   */
  readonly addAndWait: AddAndWait
}

/**
 * Makes a client. Opens no connection and never throws: invalid options make its calls reject.
 *
 * @example
 * const client = createClient()
 * for await (const message of client.sessions.messages.list({ sessionId })) console.log(message.role)
 */
export function createClient(options?: ClientOptions): Client {
  // Untyped callers may pass null.
  return makeClient(options ?? {}, makePool(options ?? {}))
}

function makeClient(options: ClientOptions, pool: Pool): Client {
  const { methods, request } = makeMethods(options, pool)
  const { organization, sessions, serviceAccounts } = methods
  const { limits } = organization
  const setManyUsers = makeSetManyUsers(limits)
  const watch = makeWatch(sessions.messages, pool.pauses)
  const addAndWait = makeAddAndWait(sessions.messages, pool.pauses)
  const withOptions = (more: DerivedOptions) => makeClient(mergeOptions(options, more), pool)
  const rotateTo = makeRotateTo(serviceAccounts.keys.rotate, (apiKey, callOptions) =>
    withOptions({ apiKey }).organization.limits.getGlobal({}, callOptions),
  )
  const close = async () => {
    const closed = pool.transport.close?.()
    // Calls that pause before a retry fail now, at their next attempt.
    if (closed) pool.pauses.endAll()
    await closed
  }
  return {
    ...methods,
    organization: { ...organization, limits: { ...limits, setManyUsers } },
    sessions: { ...sessions, messages: { ...sessions.messages, watch, addAndWait } },
    serviceAccounts: { ...serviceAccounts, keys: { ...serviceAccounts.keys, rotateTo } },
    request,
    withOptions,
    close,
    [Symbol.asyncDispose]: close,
  }
}
