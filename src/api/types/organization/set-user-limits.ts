// Written by `npm run gen` from the table in src/api/endpoints/.

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
