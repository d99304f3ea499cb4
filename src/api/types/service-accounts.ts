// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'
import type { RotateKeyResponse } from './service-accounts/rotate-key.ts'

/** Input of `serviceAccounts.keys.rotate`. */
export interface RotateKeyInput {
  /** Service account ID. */
  serviceAccountId: string
  /** ID of the key to rotate. */
  keyId: string
  /** When the new key expires; presumably Unix milliseconds, as in the response. @exclusiveMinimum 0 */
  expiresAt?: number | undefined
  /** Minutes for which the old key still works, 0 to 10; none if left out. @minimum 0 @maximum 10 */
  gracePeriodMinutes?: number | undefined
}

/** Part of `serviceAccounts`. */
export interface ServiceAccountsKeysApi {
  /**
   * Replace a key by a new one that takes over its name.
   *
   * Without a grace period the old key stops working at once. Only this response shows the new key.
   *
   * `POST /api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate`
   */
  rotate(input: RotateKeyInput, options?: CallOptions): ApiPromise<RotateKeyResponse>
}

/** Keys of service accounts. */
export interface ServiceAccountsApi {
  readonly keys: ServiceAccountsKeysApi
}
