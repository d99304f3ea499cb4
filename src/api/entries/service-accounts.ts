import type { ClientOptions } from '../core/options.ts'
import { type ClientOf, makeClient } from '../make-client.ts'
import { serviceAccounts } from '../operations/service-accounts.ts'

export * from '../common.ts'

/** Makes a client that knows the endpoints of `serviceAccounts` alone. */
export function createClient(options?: ClientOptions): ClientOf<'serviceAccounts'> {
  return makeClient({ serviceAccounts }, options)
}
