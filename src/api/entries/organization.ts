import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { organization } from '../operations/organization.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `organization` alone. */
export function createClient(options?: ClientOptions): ClientOf<'organization'> {
  return makeClient({ organization }, options)
}
