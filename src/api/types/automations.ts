// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'
import type { NoInput } from './open.ts'

/** Part of `automations`. */
export interface AutomationsCiApi {
  /**
   * List repositories that can have CI automations.
   *
   * `GET /api/v0/automations/ci/repositories`
   */
  repositories(input?: NoInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Look for CI workflows in the repositories.
   *
   * `GET /api/v0/automations/ci/scan`
   */
  scan(input?: NoInput, options?: CallOptions): ApiPromise<unknown>
}

/** Repositories and CI workflows. */
export interface AutomationsApi {
  readonly ci: AutomationsCiApi
}
