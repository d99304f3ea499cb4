// Written by `npm run gen` from the table in src/api/endpoints/.
import type { CallOptions } from '../core/options.ts'
import type { PageList } from '../core/page.ts'
import type { ListReadinessReportsResponse, ReadinessReport } from './readiness/list-readiness-reports.ts'

/** Input of `readiness.reports`. */
export interface ListReadinessReportsInput {
  /** Only reports of the repository with this ID. */
  repoId?: string | undefined
  /** Reports per page. @exclusiveMinimum 0 */
  limit?: number | undefined
  /** The last reportId of the previous page. */
  startAfter?: string | undefined
}

/** Agent-readiness reports. */
export interface ReadinessApi {
  /**
   * List the agent-readiness reports of the organization.
   *
   * `GET /api/organization/maturity-level-reports`
   */
  reports(input?: ListReadinessReportsInput, options?: CallOptions): PageList<ListReadinessReportsResponse, ReadinessReport>
}
