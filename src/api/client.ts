import type { ClientOptions } from './core/options.ts'
import type { Api } from './endpoints/index.ts'
import { type WithAddAndWait, withAddAndWait } from './follow-up/add-and-wait.ts'
import { type ClientOf, makeClient } from './make-client.ts'
import * as areas from './operations/index.ts'

/** A client. Every endpoint of the table is a method that takes one flat input and then options. */
export interface Client extends ClientOf<Exclude<keyof Api, 'sessions'>> {
  readonly sessions: (ClientOf<'sessions'> & WithAddAndWait)['sessions']
}

/**
 * Makes a client. Opens no connection and throws nothing: mistakes in the options reject the calls.
 *
 * @example
 * const client = createClient()
 * for await (const message of client.sessions.messages.list({ sessionId })) console.log(message.role)
 */
export function createClient(options?: ClientOptions): Client {
  return withAddAndWait(makeClient(areas, options))
}
