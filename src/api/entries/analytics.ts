import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { analytics } from '../operations/analytics.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `analytics` alone. */
export function createClient(options?: ClientOptions): ClientOf<'analytics'> {
  return makeClient({ analytics }, options)
}
