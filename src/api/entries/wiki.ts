import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { wiki } from '../operations/wiki.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `wiki` alone. */
export function createClient(options?: ClientOptions): ClientOf<'wiki'> {
  return makeClient({ wiki }, options)
}
