// Written by `npm run gen` from the table in src/api/endpoints/.

export interface GlobalLimit {
  /** Credits per user; null if there is no limit. @minimum 0 */
  limit: number | null
}
