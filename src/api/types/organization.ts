// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'
import type { NoInput } from './open.ts'
import type { GlobalLimit } from './organization/get-global-limit.ts'
import type { SetUserLimitsResponse } from './organization/set-user-limits.ts'
import type { RemoveUserResponse } from './organization/remove-user.ts'

/** Input of `organization.limits.setGlobal`. */
export interface SetGlobalLimitInput {
  /** Credits per user, at least 1000000; null removes the limit. @minimum 1000000 */
  limit: number | null
}

/** Input of `organization.limits.setUsers`. */
export interface SetUserLimitsInput {
  /** Users and their limits, 1 to 100 entries. @minItems 1 @maxItems 100 */
  users: readonly SetUserLimitsInputUser[]
}

export interface SetUserLimitsInputUser {
  /** E-mail address of the user. @format email */
  email: string
  /** Credits; null removes the limit of this user. @minimum 0 */
  limit: number | null
}

/** Input of `organization.users.remove`. */
export interface RemoveUserInput {
  /** E-mail address of the user. @format email */
  email: string
}

/** Part of `organization`. */
export interface OrganizationLimitsApi {
  /**
   * Read the credit limit of users who have none of their own.
   *
   * `GET /api/v0/organization/usage/limits/global`
   */
  getGlobal(input?: NoInput, options?: CallOptions): ApiPromise<GlobalLimit>
  /**
   * Set or remove the credit limit of users who have none of their own.
   *
   * `PUT /api/v0/organization/usage/limits/global`
   */
  setGlobal(input: SetGlobalLimitInput, options?: CallOptions): ApiPromise<GlobalLimit>
  /**
   * Set the credit limits of single users; some may fail while the others are applied.
   *
   * Check `errors` in the response: it lists the entries that failed.
   *
   * `PUT /api/v0/organization/usage/limits/users`
   */
  setUsers(input: SetUserLimitsInput, options?: CallOptions): ApiPromise<SetUserLimitsResponse>
}

/** Part of `organization`. */
export interface OrganizationUsersApi {
  /**
   * Remove a member, or a user who is only invited.
   *
   * `DELETE /api/v0/organization/users`
   */
  remove(input: RemoveUserInput, options?: CallOptions): ApiPromise<RemoveUserResponse>
}

/** Credit limits and users of the organization. */
export interface OrganizationApi {
  readonly limits: OrganizationLimitsApi
  readonly users: OrganizationUsersApi
}
