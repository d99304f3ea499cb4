// Written by `npm run gen` from the table in ../endpoints.

export interface GlobalLimit {
  /** Credits per user; null if there is no limit. @minimum 0 */
  limit: number | null
}

export interface SetUserLimitsResponse {
  /** Limits that were set. */
  updated: SetUserLimitsResponseUpdated[]
  /** Entries that failed. */
  errors: SetUserLimitsResponseError[]
}

export interface SetUserLimitsResponseUpdated {
  /** E-mail address of the user. */
  email: string
  /** Credits; null if the limit was removed. */
  limit: number | null
}

export interface SetUserLimitsResponseError {
  /** E-mail address of the user. */
  email: string
  /** Why the limit was not set. */
  error: string
}

export interface RemoveUserResponse {
  /** Set if the first response was lost, and a repeat found nothing to delete any more. */
  replayed?: true
}
