import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { computers } from '../operations/computers.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `computers` alone. */
export function createClient(options?: ClientOptions): ClientOf<'computers'> {
  return makeClient({ computers }, options)
}
