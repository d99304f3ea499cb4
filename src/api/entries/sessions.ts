import { type WithAddAndWait, withAddAndWait } from '../add-and-wait.ts'
import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { sessions } from '../operations/sessions.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `sessions` alone. */
export function createClient(options?: ClientOptions): ClientOf<'sessions'> & WithAddAndWait {
  return withAddAndWait(makeClient({ sessions }, options))
}
