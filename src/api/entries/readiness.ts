import type { ClientOptions } from '../core/options.ts'
import { reachEither } from '../core/reach-either.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { readiness } from '../operations/readiness.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `readiness` alone. */
export function createClient(options?: ClientOptions): ClientOf<'readiness'> {
  return makeClient({ readiness }, options, reachEither)
}
