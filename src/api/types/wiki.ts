// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'

/** Input of `wiki.create`. */
export interface CreateWikiRunInput {
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `wiki.get`. */
export interface GetWikiRunInput {
  /** Wiki run ID. */
  wikiRunId: string
}

/** Input of `wiki.search`. */
export interface SearchWikiRunInput {
  /** Wiki run ID. */
  wikiRunId: string
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `wiki.setPrivacy`. */
export interface SetWikiPrivacyInput {
  /** Wiki run ID. */
  wikiRunId: string
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Wiki runs. */
export interface WikiApi {
  /**
   * Create a wiki run.
   *
   * The body is not documented: your input is sent unchanged.
   *
   * `POST /api/v0/wiki`
   */
  create(input?: CreateWikiRunInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Get a wiki run.
   *
   * `GET /api/v0/wiki/{wikiRunId}`
   */
  get(input: GetWikiRunInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Search a wiki run.
   *
   * The query is not documented: your input is sent unchanged.
   *
   * `GET /api/v0/wiki/{wikiRunId}/search`
   */
  search(input: SearchWikiRunInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Set the privacy of a wiki run.
   *
   * The body and the levels are not documented: your input is sent unchanged.
   *
   * `POST /api/v0/wiki/{wikiRunId}/privacy`
   */
  setPrivacy(input: SetWikiPrivacyInput, options?: CallOptions): ApiPromise<unknown>
}
