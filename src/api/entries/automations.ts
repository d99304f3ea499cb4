import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { automations } from '../operations/automations.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `automations` alone. */
export function createClient(options?: ClientOptions): ClientOf<'automations'> {
  return makeClient({ automations }, options)
}
